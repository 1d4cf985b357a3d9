"""Files that were made to harm whoever opens them: each is refused, or does no more than a harmless one."""
