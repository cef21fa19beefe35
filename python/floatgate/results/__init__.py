"""What a run leaves: its document, tables and folder, and the words for its numbers."""
