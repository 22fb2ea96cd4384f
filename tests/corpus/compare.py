"""Compares what is stored of a picture with what Pillow makes of its source.

Reads lines of two paths, the source and the stored WebP, separated by a tab;
answers each with one line of JSON:

    {"unreadable": why}                     Pillow does not decode the source
    {"broken": why}                         nor what is stored of it
    {"frames": n, "difference": d, ...}     the largest mean difference of a
                                            frame, 0 to 255 a channel
"""

import io
import json
import resource
import struct
import sys
import warnings

from PIL import Image, ImageChops, ImageCms, ImageFile, ImageOps, ImageStat

warnings.simplefilter("ignore")
# A file that is cut short is shown as far as it goes, as browsers do.
ImageFile.LOAD_TRUNCATED_IMAGES = True
# The service has its own limit, and has accepted these.
Image.MAX_IMAGE_PIXELS = None
# Pillow makes a canvas of whatever size a later frame claims.
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

# Of these all frames are shown one after the other; of the rest the first is
# the picture.
ANIMATED = {"GIF", "PNG", "WEBP", "AVIF"}
# Later frames of a longer animation are similar.
MOST_FRAMES = 60
# The backgrounds for transparent pictures.
GROUNDS = ((0, 0, 0), (255, 255, 255))


def of_sixteen_bits(grey):
    """Grey of sixteen bits as eight, transparent by PNG's key."""
    key = grey.info.get("transparency")
    grey = grey.convert("I")
    shown = grey.point(lambda value: value * (255 / 65535)).convert("L")
    if isinstance(key, int):
        # What is below and what is above the key, each cut to a byte.
        below = grey.point(lambda value: value * -1 + key).convert("L")
        above = grey.point(lambda value: value * 1 - key).convert("L")
        opaque = ImageChops.add(below, above).point(lambda value: 255 if value else 0)
        shown.putalpha(opaque)
    return shown


def as_srgb(frame, profile):
    """The frame as 8-bit RGBA in sRGB."""
    if frame.mode.startswith("I"):
        frame = of_sixteen_bits(frame)
    alpha = None
    if "A" in frame.getbands() or "a" in frame.getbands() or "transparency" in frame.info:
        frame = frame.convert("RGBA")
        alpha = frame.getchannel("A")
    if profile:
        try:
            if frame.mode not in ("RGB", "L", "CMYK"):
                frame = frame.convert("RGB")
            frame = ImageCms.profileToProfile(
                frame,
                ImageCms.ImageCmsProfile(io.BytesIO(profile)),
                ImageCms.createProfile("sRGB"),
                outputMode="RGB",
            )
        except (ImageCms.PyCMSError, OSError, ValueError):
            pass
    frame = frame.convert("RGBA")
    if alpha:
        frame.putalpha(alpha)
    return frame


def upright(image, shown):
    """The picture turned by its EXIF; no browser uses that of XMP."""
    exif = Image.Exif()
    # Pillow would look there again.
    shown.info.pop("exif", None)
    try:
        if image.format == "TIFF":
            exif = image.getexif()
        elif image.info.get("exif"):
            exif.load(image.info["exif"])
        shown.getexif()[0x0112] = exif.get(0x0112, 1)
    except (SyntaxError, struct.error):
        pass  # Broken, and no reason to refuse the picture.
    return ImageOps.exif_transpose(shown)


def frames(path):
    """The frames of a file, each with the time of its end in milliseconds."""
    image = Image.open(path)
    number = getattr(image, "n_frames", 1) if image.format in ANIMATED else 1
    # Pillow counts a PNG's picture for programs that do not animate, too.
    first = 1 if getattr(image, "default_image", False) and number > 1 else 0
    profile = image.info.get("icc_profile")
    found, end = [], 0
    for place in range(first, min(number, first + MOST_FRAMES)):
        # From its beginning each time: what Pillow keeps of the frames before
        # depends on which of them were read.
        image = Image.open(path)
        image.seek(place)
        image.load()
        time = round(image.info.get("duration") or 0)
        # As browsers have it, a time as short as this is none.
        end += time if time > 10 else 100
        found.append((end, as_srgb(image, profile)))
    if number == 1:
        found = [(end, upright(image, found[0][1]))]
    return found, number - first


def difference(one, other):
    """The larger mean difference of a channel, over both grounds."""
    means = []
    for ground in GROUNDS:
        flat = []
        for image in (one, other):
            below = Image.new("RGBA", image.size, ground + (255,))
            flat.append(Image.alpha_composite(below, image).convert("RGB"))
        means.append(sum(ImageStat.Stat(ImageChops.difference(*flat)).mean) / 3)
    return max(means)


def compare(source, stored):
    try:
        wanted, number = frames(source)
    except Exception as error:  # Pillow's plugins raise whatever they met.
        return {"unreadable": f"{type(error).__name__}: {error}"}
    try:
        given, given_number = frames(stored)
    except Exception as error:
        return {"broken": f"{type(error).__name__}: {error}"}
    answer = {
        "frames": number,
        "stored_frames": given_number,
        "size": wanted[0][1].size,
        "stored_size": given[0][1].size,
    }
    if answer["size"] != answer["stored_size"]:
        return answer
    if number == 1 or given_number == 1:
        # One picture, or an animation whose frames are all alike.
        pairs = [(frame, given[0][1]) for _, frame in wanted]
    elif number == given_number:
        pairs = [(one, other) for (_, one), (_, other) in zip(wanted, given)]
        answer["durations"] = [end for end, _ in wanted]
        answer["stored_durations"] = [end for end, _ in given]
    else:
        # Frames that are alike are stored as one: those shown at the same time.
        pairs = []
        for end, frame in wanted:
            shown = [other for other_end, other in given if other_end >= end]
            if shown:
                pairs.append((frame, shown[0]))
    each = [difference(one, other) for one, other in pairs]
    answer["difference"] = round(max(each), 2)
    answer["worst_frame"] = each.index(max(each))
    return answer


for line in sys.stdin:
    paths = line.rstrip("\n").split("\t")
    print(json.dumps(compare(*paths)), flush=True)
