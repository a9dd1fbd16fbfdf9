"""The passages of a generated collection: what each is made of, and its line in the file.

A passage depends on the seed and its own number only, so chunks, cores and the collection's size
change nothing: a smaller collection is the beginning of a larger one. Ten passages in a row share
a subject, as those that one search brought do. All compiled functions that call each other stand
in this one file, since numba's cache notices a change of the caller's file only.
"""

import numpy as np
from numba import njit

from benchmarks.msmarco_form.language import CELLS, LONGEST, OCTAVES

GROUP = 10  # passages that share a subject
SUBJECT_TOKENS = 3
LINE_BYTES = 128 * LONGEST  # more than a line can take

# How the next token comes about, of 65,536; what is left is drawn for itself.
FROM_SUBJECT = 2200
REPEATED = 6300
COLLOCATED = 27000

# Words between, punctuation and peculiarities, of 256 (of 65,536 where it says so).
NO_FILLER, ONE_FILLER, TWO_FILLERS = 133, 210, 248
SENTENCE_ENDS, COMMAS = 34, 54
SHORTEST_SENTENCE = 3
PROPER_NOUNS = 16
QUOTED, CLOSED = 3, 128
EXTRA_OF_65536, RARE_OF_65536 = 400, 4

SUBJECT, CONTENT, TEXT, FOLLOWS = range(1, 5)  # what a stream of draws is for

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_WORD_MIX = np.uint64(0xD6E8FEB86659FD93)
_TOP, _ONE, _BYTE, _HALF = np.uint64(1 << 63), np.uint64(1), np.uint64(0xFF), np.uint64(0xFFFF)
_SCRAMBLE = 0x9E3779B1  # odd: a bijection of any power of two
_SYLLABLES, _CODAS = 32, 4
_NUMBERS = 16  # one rank in so many is a number
_TAB, _LF, _SPACE, _QUOTE, _COMMA, _STOP, _ZERO, _CASE = 9, 10, 32, 34, 44, 46, 48, 32


@njit(cache=True)
def mixed(x):
    """SplitMix64's finaliser: a 64-bit draw from a counter."""
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))


@njit(cache=True)
def stream_of(seed, purpose, number):
    """The first draw for a purpose and number; the next ones are mixed steps of `_GOLDEN` on."""
    start = mixed(np.uint64(seed) * _GOLDEN + np.uint64(purpose))
    return mixed(start + np.uint64(number) * _GOLDEN)


@njit(cache=True)
def quantile(table, draw):
    """The value whose survival is draw / 2^64, linear within a cell; see `quantile_table`."""
    octave = 0
    while draw < _TOP and octave < OCTAVES - 1:
        draw <<= _ONE
        octave += 1
    # The leading bit, ten bits that say how far up the octave, and twenty how far up the cell.
    cell = CELLS - 1 - np.int64((draw >> np.uint64(53)) & np.uint64(CELLS - 1))
    part = 0xFFFFF - np.int64((draw >> np.uint64(33)) & np.uint64(0xFFFFF))
    below, above = table[octave, cell], table[octave, cell + 1]
    return below + (((above - below) * part) >> 20)


@njit(cache=True)
def successor(seed, word, draw, language):
    """A word that follows `word`: the more frequent of its successors more often."""
    place = quantile(language.successors, draw)
    number = np.uint64(word) * _WORD_MIX + np.uint64(place)
    return quantile(language.ranks, stream_of(seed, FOLLOWS, number))


@njit(cache=True)
def subject_of(seed, passage, language, out):
    """Write the ranks of the words that a passage and its neighbours are about."""
    state = stream_of(seed, SUBJECT, passage // GROUP)
    out[0] = quantile(language.ranks, state)
    for i in range(1, SUBJECT_TOKENS):
        state += _GOLDEN
        out[i] = successor(seed, out[i - 1], mixed(state), language)


@njit(cache=True)
def content_of(seed, passage, language, out, follows):
    """Write the ranks of a passage's content tokens; return how many (`LONGEST` at most).

    A token belongs to the subject, with which every passage begins, or repeats one from before,
    follows from the one before it, or is drawn for itself.
    out: int64; follows: bool, whether a token follows from the one before it.
    """
    subject = np.empty(SUBJECT_TOKENS, np.int64)
    subject_of(seed, passage, language, subject)
    state = stream_of(seed, CONTENT, passage)
    length = quantile(language.lengths, mixed(state))
    i = 0
    while i < length:
        state += _GOLDEN
        choice = mixed(state)
        how, chosen = choice & _HALF, choice >> np.uint64(32)
        state += _GOLDEN
        follows[i] = False
        if i == 0 or how < FROM_SUBJECT:
            first = np.int64(chosen & _ONE)
            out[i] = subject[first]
            if i + 1 < length:
                i += 1
                out[i] = subject[first + 1]
                follows[i] = True
        elif how < REPEATED:
            out[i] = out[np.int64((chosen * np.uint64(i)) >> np.uint64(32))]
        elif how < COLLOCATED:
            out[i] = successor(seed, out[i - 1], mixed(state), language)
            follows[i] = True
        else:
            out[i] = quantile(language.ranks, mixed(state))
        i += 1
    return length


@njit(cache=True)
def write_string(strings, i, out, end):
    """Write string i; return where it ends."""
    for j in range(strings.offsets[i], strings.offsets[i + 1]):
        out[end] = strings.data[j]
        end += 1
    return end


@njit(cache=True)
def write_number(number, out, end):
    """Write an integer from 0 in decimal; return where it ends."""
    digits, rest = 1, number // 10
    while rest > 0:
        digits += 1
        rest //= 10
    for i in range(end + digits - 1, end - 1, -1):
        out[i] = _ZERO + number % 10
        number //= 10
    return end + digits


@njit(cache=True)
def write_word(rank, language, out, end):
    """Write the word of a rank, which no other rank has, in lower case; return where it ends."""
    if rank % _NUMBERS == _NUMBERS - 1:
        return write_number(10 + rank // _NUMBERS, out, end)
    i = rank - rank // _NUMBERS
    syllables, words = 1, _CODAS * _SYLLABLES
    while i >= words:
        i -= words
        words *= _SYLLABLES
        syllables += 1
    i = (i * _SCRAMBLE) & (words - 1)
    coda = i % _CODAS + (_CODAS if syllables > 1 else 0)
    i //= _CODAS
    for place in range(syllables):
        end = write_string(language.syllables, i % _SYLLABLES + _SYLLABLES * (place % 2), out, end)
        i //= _SYLLABLES
    return write_string(language.codas, coda, out, end)


@njit(cache=True)
def raise_case(out, at):
    """Make the byte a capital, if it is a letter."""
    if 97 <= out[at] <= 122:
        out[at] -= _CASE


@njit(cache=True)
def write_fillers(draw, language, out, end):
    """Write up to three function words, each with a blank after it; return where they end."""
    kind = draw & _BYTE
    fillers = (kind >= NO_FILLER) + (kind >= ONE_FILLER) + (kind >= TWO_FILLERS)
    for _ in range(fillers):
        draw >>= np.uint64(8)
        end = write_string(language.function_words, np.int64(draw & _BYTE), out, end)
        out[end] = _SPACE
        end += 1
    return end


@njit(cache=True)
def write_extra(draw, language, out, end):
    """Write what now and then stands after a word: an accent, a mark, a strange line end."""
    which = np.int64((draw >> np.uint64(32)) & np.uint64(7))
    if draw & _HALF < EXTRA_OF_65536:
        return write_string(language.extras, which, out, end)
    if (draw >> np.uint64(16)) & _HALF < RARE_OF_65536:
        return write_string(language.extras, 8 + which, out, end)
    return end


@njit(cache=True)
def write_text(seed, passage, content, language, out, end):
    """Write a passage's sentences: its content words with function words between; return the end.

    content: the ranks of its words, int64.
    """
    state = stream_of(seed, TEXT, passage)
    is_quoted, is_closed = state & _BYTE < QUOTED, (state >> np.uint64(8)) & _BYTE < CLOSED
    if is_quoted:
        out[end] = _QUOTE
        end += 1
    sentence, words = end, 0  # where the sentence begins, and its content words so far
    for i in range(len(content)):
        state += _GOLDEN
        word = write_fillers(mixed(state), language, out, end)
        end = write_word(content[i], language, out, word)
        if mixed(np.uint64(content[i])) & _BYTE < PROPER_NOUNS:
            raise_case(out, word)
        raise_case(out, sentence)
        state += _GOLDEN
        draw = mixed(state)
        end = write_extra(draw >> np.uint64(8), language, out, end)
        words += 1
        mark = draw & _BYTE
        if i == len(content) - 1 or (mark < SENTENCE_ENDS and words >= SHORTEST_SENTENCE):
            out[end] = _STOP
            sentence, words = end + 2, 0
            end += 1
        elif SENTENCE_ENDS <= mark < COMMAS:
            out[end] = _COMMA
            end += 1
        out[end] = _SPACE
        end += 1
    if is_quoted and is_closed:
        out[end - 1] = _QUOTE
        return end
    return end - 1


@njit(cache=True)
def write_passages(seed, first, last, language, out):
    """Write the lines of passages from `first` on, until `last` or until `out` (uint8) is full.

    Returns the passage that comes next and the bytes written; `out` has `LINE_BYTES` or more.
    """
    content, follows = np.empty(LONGEST, np.int64), np.empty(LONGEST, np.bool_)
    end, passage = 0, first
    while passage < last and end + LINE_BYTES <= len(out):
        length = content_of(seed, passage, language, content, follows)
        end = write_number(passage, out, end)
        out[end] = _TAB
        end = write_text(seed, passage, content[:length], language, out, end + 1)
        out[end] = _LF
        end += 1
        passage += 1
    return passage, end
