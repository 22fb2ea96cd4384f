"""Sends each request from an address of its own, since wrong tokens are limited by address."""

import itertools

import schemathesis

NUMBERS = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(NUMBERS)
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    case.headers["X-Forwarded-For"] = address
