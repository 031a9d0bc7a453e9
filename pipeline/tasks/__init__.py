"""Lightning modules and data modules, one file per task; base.py, keeper.py and fit.py hold what tasks share."""
