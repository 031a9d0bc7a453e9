"""Fastformer (Wu et al., 2021, https://arxiv.org/abs/2108.09084) as a reproducible experiment pipeline."""
