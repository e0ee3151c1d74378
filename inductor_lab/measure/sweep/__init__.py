"""One kernel over sizes and dtypes: each point timed against eager and Inductor, kept in a folder as it is finished, as tables and plots."""
