"""Line charts as SVG."""

WIDTH, HEIGHT, LEFT, TOP, GAP = 720, 110, 70, 24, 46


def chart(samples, axis, names):
    """Returns a chart for each name, one below the other, over the same axis."""
    height = TOP + len(names) * (HEIGHT + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for index, name in enumerate(names):
        parts += panel(samples, axis, name, TOP + index * (HEIGHT + GAP))
    return "\n".join([*parts, "</svg>"]) + "\n"


def panel(samples, axis, name, top):
    times, values = [sample[axis] for sample in samples], [sample[name] for sample in samples]
    last, most = max(times) or 1, max(values) * 1.1 or 1
    points = " ".join(
        f"{LEFT + WIDTH * time / last:.1f},{top + HEIGHT * (1 - value / most):.1f}" for time, value in zip(times, values)
    )
    bottom = top + HEIGHT
    return [
        f'<text x="{LEFT}" y="{top - 6}" font-weight="bold">{name}</text>',
        f'<path d="M{LEFT},{top} V{bottom} H{LEFT + WIDTH}" fill="none" stroke="gray"/>',
        f'<text x="{LEFT - 6}" y="{top + 10}" text-anchor="end">{most:.4g}</text>',
        f'<text x="{LEFT - 6}" y="{bottom}" text-anchor="end">0</text>',
        f'<text x="{LEFT + WIDTH}" y="{bottom + 16}" text-anchor="end">{last:.4g} {axis}</text>',
        f'<polyline points="{points}" fill="none" stroke="#0a62c4" stroke-width="1.5"/>',
    ]
