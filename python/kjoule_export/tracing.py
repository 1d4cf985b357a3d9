"""Replacements of functions in the transformers library that make its models traceable without changing their results."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from importlib import import_module
from unittest import mock


def _bloom_gelu(module, x):
    """Computes BLOOM's GELU directly: the library wraps it in an autograd function, which TorchScript cannot save."""
    from transformers.models.bloom.modeling_bloom import bloom_gelu_forward

    return bloom_gelu_forward(x)


def _nothing_packed(position_ids):
    """Reports that no row contains several sequences, as in all these models; the library's check would fix the batch in a trace."""
    return None


def _causal_flag_suffices(padding_mask, q_length, kv_length, q_offset, kv_offset, local_attention_size=None):
    """Makes fused attention use its causal flag instead of a mask, as in the eager model; without a cache, this is always correct."""
    return padding_mask is None and local_attention_size is None


def _nothing_to_mask(padding_mask, kv_length, local_attention_size=None):
    """Omits a mask that masks nothing, as in the eager model: with a mask, attention is slower on a GPU."""
    return padding_mask is None and (local_attention_size is None or kv_length < local_attention_size)


_REPLACEMENTS = (
    ("transformers.models.bloom.modeling_bloom", "BloomGelu.forward", _bloom_gelu),
    ("transformers.masking_utils", "find_packed_sequence_indices", _nothing_packed),
    ("transformers.masking_utils", "_ignore_causal_mask_sdpa", _causal_flag_suffices),
    ("transformers.masking_utils", "_ignore_bidirectional_mask_sdpa", _nothing_to_mask),
)


@contextlib.contextmanager
def patch_for_tracing() -> Iterator[None]:
    """Applies the replacements during a `with` block, except for functions that this version of the library lacks."""
    with contextlib.ExitStack() as stack:
        for module, name, replacement in _REPLACEMENTS:
            with contextlib.suppress(ImportError, AttributeError):
                owner_name, _, attribute = name.rpartition(".")
                owner = import_module(module)
                owner = getattr(owner, owner_name) if owner_name else owner
                stack.enter_context(mock.patch.object(owner, attribute, replacement))
        yield
