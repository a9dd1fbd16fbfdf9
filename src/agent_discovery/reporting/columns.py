"""What columns of result tables are called, how their numbers are written, and what they mean.

The one place for labels and units (`digits` has the digits): Markdown, LaTeX and the report take
them from here. The CSV files have the columns' own names and all digits.
"""

import re
from dataclasses import dataclass

NONE = "–"


@dataclass(frozen=True)
class Column:
    """A column as a reader sees it.

    kind: how its numbers are written (`digits.WRITTEN`); legend: a sentence that explains it.
    """

    label: str
    kind: str = "text"
    legend: str = ""


OF_SIZE = "N: cards in the registry."
BUDGET = "K: the most cards that a pool may have."
COLUMNS = {
    "corpus": Column("Corpus"),
    "arbiter": Column("Arbiter", legend="Arbiter: what picks one card of those it is shown."),
    "method": Column("Method"),
    "baseline": Column("Against"),
    "encoder": Column("Encoder", legend="Encoder: the model that turns text into vectors."),
    "view": Column("View", legend="View: what is asked, and what counts as the answer (README)."),
    "form": Column("Form of fusion"),
    "weights": Column("Agent : tool weight"),
    "measure": Column("Measure"),
    "figure": Column("Figure"),
    "value": Column("Value"),
    "source": Column("Source"),
    "side": Column("Side", legend="Side: K is chosen on validation, then looked at once on test."),
    "stage": Column("Stage"),
    "labels": Column("Labels", legend="Labels: how annotated tool names are resolved to agents."),
    "items": Column("Items", legend="Items: the first K nodes, or the first K agents."),
    "needs": Column("Not run; needs"),
    "n": Column("N", "count", OF_SIZE),
    "k": Column("K", "count", BUDGET),
    "queries": Column("Queries", "count"),
    "cards": Column("Cards", "count"),
    "calls": Column("LLM calls", "count"),
    "tests": Column("Tests in the family", "count"),
    "sizes": Column("Registry sizes tested", "count"),
    "candidate_recall": Column(
        "Candidate recall",
        "share",
        "Candidate recall: share of queries with a relevant card among the candidates.",
    ),
    "end_to_end_accuracy": Column(
        "End-to-end accuracy",
        "share",
        "End-to-end accuracy: share of all queries whose selected card is relevant; a failed call "
        "counts as wrong.",
    ),
    "selection_accuracy": Column(
        "Selection accuracy",
        "share",
        "Selection accuracy: the same share, of queries with a relevant candidate and an answer.",
    ),
    "chance_accuracy": Column(
        "Blind pick", "share", "Blind pick: selection accuracy of a random choice."
    ),
    "first_accuracy": Column(
        "Always the first",
        "share",
        "Always the first: end-to-end accuracy of taking the first candidate.",
    ),
    "first_selected": Column(
        "First selected",
        "share",
        "First selected: share of answers that name the first candidate.",
    ),
    "mean_candidates": Column("Candidates, mean", "mean"),
    "mean_input_tokens": Column("Input tokens a query, mean", "tokens"),
    "smallest_input_tokens": Column("Input tokens, fewest", "tokens"),
    "largest_input_tokens": Column("Input tokens, most", "tokens"),
    "mean_output_tokens": Column("Output tokens a query, mean", "tokens"),
    "mean_cost_usd": Column("Cost a query, mean (US dollars)", "usd"),
    "estimated_tokens": Column(
        "Token counts estimated",
        "share",
        "Token counts estimated: share of queries whose call failed, so that its tokens are "
        "estimated from its length.",
    ),
    "api_success_rate": Column("Calls answered (share)", "share"),
    "valid_selection_rate": Column("Answers that name a candidate (share)", "share"),
    "mean_input_tokens_saved": Column("Input tokens saved", "saved"),
    "mean_cost_usd_saved": Column("Cost saved", "saved"),
    "difference": Column("Difference", "signed"),
    "increase": Column("Relative increase", "percent"),
    "identical": Column("Queries with identical results", "count"),
    "identical_share": Column("Identical (share)", "share"),
    "full_scan_scored": Column("Cards scored by the full scan", "count"),
    "ssr_mean_scored": Column("Cards scored by SSR, mean", "mean"),
    "ssr_mean_candidates": Column("Cards scored by SSR, mean", "mean"),
    "fewer_scored": Column("Cards left out of scoring", "saved"),
    "mean_scored": Column("Cards scored, mean", "mean"),
    "baseline_mean_scored": Column("Cards scored by the other, mean", "mean"),
    "mean_visited": Column("Postings visited, mean", "mean"),
    "baseline_mean_visited": Column("Postings visited by the other, mean", "mean"),
    "both": Column("Both right", "count"),
    "b": Column("b", "count", "b: queries that only Method gets right; c: only the other."),
    "c": Column("c", "count"),
    "neither": Column("Neither right", "count"),
    "p": Column("p", "p", "p: sign-flip test, paired by task."),
    "p_exact": Column("p, exact", "p", "p: McNemar's test, exact and asymptotic."),
    "p_asymptotic": Column("p, asymptotic", "p"),
    "p_holm": Column("p, Holm", "p", "p, Holm: corrected for all tests of the family."),
    "significant": Column("Significant at 5%", "flag"),
    "cohens_g": Column(
        "Cohen's g", "signed", "Cohen's g: share of b in b + c, less one half (an effect size)."
    ),
    "discordant": Column(
        "Queries on which they differ (share)",
        "share",
    ),
    "least_difference": Column(
        "Least difference found with 80% power",
        "share",
        "Power: the chance that the test finds a true difference of that size; – where the methods "
        "differ on too few queries for it.",
    ),
    "published": Column("Published", "share"),
    "published_on": Column("Published on"),
    "loss": Column(
        "Below the largest K", "share", "Below the largest K: candidate recall lost against it."
    ),
    "within": Column("Within the margin", "flag"),
    "selected": Column("K selected", "flag"),
    "context_window": Column("Context window (tokens)", "count"),
    "queries_failing": Column("Queries that outgrow it", "count"),
    "fails_at_n_smallest": Column("N at which it is full, smallest", "count", OF_SIZE),
    "fails_at_n_median": Column("N, median", "count"),
    "fails_at_n_largest": Column("N, largest", "count"),
    "agent": Column("From agent nodes (share)", "share"),
    "tool": Column("From tool nodes (share)", "share"),
    "both_kinds": Column("From both (share)", "share"),
    "tied": Column(
        "Queries whose last place is a tie",
        "count",
        "Tied: the card at place K and the first one left out have the same score and the same "
        "number of matches, so that only the order of ties tells them apart.",
    ),
    "tied_share": Column("Share of queries", "share"),
    "agents": Column("Agents", "count"),
    "name": Column("Agent"),
    "relevant": Column("Tasks that it is relevant for", "count"),
    "tools": Column("Tools", "count"),
    "labelled_queries": Column("Labelled tasks", "count"),
    "steps_a_query": Column("Steps a task, mean", "average"),
    "tools_a_query": Column("Tools a task, mean", "average"),
    "agents_a_query": Column("Agents a task, mean", "average"),
    "covers_primary": Column("Of the primary labels, in these (share)", "share"),
    "within_primary": Column("Of these, in the primary labels (share)", "share"),
    "primary": Column("Labels: primary"),
    "lenient": Column("Labels: lenient"),
    "strict": Column("Labels: strict"),
    "used": Column("Labels: used"),
    "changes": Column("Changes with the resolution", "flag"),
    "others_differ": Column("Differs for used labels", "flag"),
    "wall_ms_mean": Column("Wall time, mean (ms)", "ms"),
    "wall_ms_median": Column("Wall time, median (ms)", "ms"),
    "wall_ms_p95": Column("Wall time, 95th percentile (ms)", "ms"),
    "cpu_ms_mean": Column("CPU time, mean (ms)", "ms"),
    "cpu_ms_median": Column("CPU time, median (ms)", "ms"),
    "cpu_ms_p95": Column("CPU time, 95th percentile (ms)", "ms"),
    # Table I.
    "agent_cards": Column("Agent Cards", "count"),
    "base_cards": Column("Base cards", "count"),
    "capability_twins": Column("Capability twins", "count"),
    "paraphrased_queries": Column("The same queries in other words", "count"),
    "domains": Column("Domains", "count"),
    "skills": Column("Skills", "count"),
    "mean_overlap_words": Column("Share of a query's words that its target has, mean", "share"),
    "mean_overlap_jaccard": Column("Jaccard overlap of the words of query and target", "share"),
    "mean_overlap_bigrams": Column("Share of a query's bigrams that its target has", "share"),
    # Table VI.
    "system": Column("System"),
    "preselects": Column("Pre-selects at registry scale"),
    "training_free": Column("Training-free"),
    "traceable": Column("Score traceable to the text"),
    "agent_cards_native": Column("Takes Agent Cards as they are"),
    "bounded": Column("Bounded candidate context"),
    "learned": Column("Learned routing"),
    "says": Column("What SSR's paper says of it"),
    "where": Column("Where"),
    "index_bytes": Column("Index (KiB)", "kib", "KiB: 1,024 bytes."),
    "recall": Column("Recall", "share"),
    # Robustness.
    "attack": Column("Adversarial card"),
    "kind": Column("Kind of attack"),
    "author_knows": Column("Its author knows"),
    "prompt": Column("Prompt"),
    "in_pool": Column("In the pool", "share", "In the pool: the adversarial card is a candidate."),
    "first": Column("First of the pool", "share"),
    "chosen": Column("Chosen", "share", "Chosen: the arbiter picks the adversarial card."),
    "chosen_of_shown": Column("Chosen where in the pool", "share"),
    "chance_of_shown": Column("Blind pick where in the pool", "share"),
    "accuracy": Column("End-to-end accuracy", "share"),
    "accuracy_lost": Column("Accuracy lost", "signed", "Lost: less than without the attack."),
    "candidate_recall_lost": Column("Candidate recall lost", "signed"),
    "recall_lost": Column("Recall lost", "signed"),
    "api_failures": Column("Failed calls", "count"),
    # Verdicts.
    "paper": Column("Paper"),
    "claim": Column("Claim"),
    "verdict": Column("Outcome"),
    "note": Column("Why, or what it needs"),
    "ours": Column("Ours"),
}
MEASURES = {
    "success": (
        "Success",
        "Success@k: share of queries with a relevant card among the first k (SSR's paper calls it "
        "Recall@k).",
    ),
    "recall": ("Recall", "Recall@k: share of a query's relevant cards among the first k, mean."),
    "mrr": ("MRR", "MRR@k: mean of 1 / rank of the first relevant card, 0 below rank k."),
    "ndcg": ("nDCG", "nDCG@k: gain of the first k, less for lower ranks, over the best possible."),
    "map": ("mAP", "mAP@k: mean over queries of the precision at each relevant card's rank."),
}
AT = re.compile(r"(success|recall|mrr|ndcg|map)@(\d+)(_variance)?")
POWER = re.compile(r"power_0\.(\d\d)")


def column(name: str) -> Column | None:
    """How a column is shown; None for a name that no table of ours has."""
    if measure := AT.fullmatch(name):
        label, legend = MEASURES[measure[1]]
        spread = ", variance over encoders" if measure[3] else ""
        return Column(f"{label}@{measure[2]}{spread}", "share", legend)
    if power := POWER.fullmatch(name):
        return Column(f"Power to find {int(power[1])} points", "power")
    return COLUMNS.get(name)


def label(name: str) -> str:
    """What a column's head says."""
    known = column(name)
    return known.label if known else name
