"""Generated collections in MS MARCO passage's on-disk form, with statistics like its own."""
