"""The report: tables, plots and one page out of the runs that params.yaml spans."""
