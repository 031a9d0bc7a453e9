"""One thin file per stage of dvc.yaml: read params, call the library, write outputs."""
