import { formatCount } from '../../../pipeline/core/counts.ts'
import { type Html, h } from '../html/jsx.ts'

interface Bar {
  label: string
  value: number
}

/** Size of the picture, and where its bars end and begin; numbers stand above and below. */
const WIDTH_PX = 640
const HEIGHT_PX = 160
const BARS_BOTTOM_PX = 132
const BARS_TOP_PX = 18

/**
 * Renders bars as a picture, and the same numbers as text for those who do not see it. One bar alone compares
 * nothing: it is told in a sentence, and none at all not even there.
 */
export function renderBars(title: string, bars: readonly Bar[]): Html | null {
  const [only, another] = bars.filter(({ value }) => value > 0)
  if (only === undefined) return null
  if (another === undefined)
    return (
      <p>
        {title}: {only.label}, {formatCount(only.value)}.
      </p>
    )
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  const step = WIDTH_PX / Math.max(bars.length, 1)
  const width = Math.min(56, step * 0.72)
  const every = Math.ceil(bars.length / 8)
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH_PX} ${HEIGHT_PX}`}
        role="img"
        aria-label={`${title}: ${bars.map(({ label, value }) => `${label} ${formatCount(value)}`).join(', ')}`}
      >
        <rect class="floor" x="0" y={BARS_BOTTOM_PX} width={WIDTH_PX} height="1" />
        {bars.map(({ label, value }, index) => {
          const height = Math.max(
            value > 0 ? 2 : 0,
            (value / highest) * (BARS_BOTTOM_PX - BARS_TOP_PX),
          )
          const middle = round(step * (index + 0.5))
          return (
            <g>
              <rect
                class="bar"
                x={round(middle - width / 2)}
                y={round(BARS_BOTTOM_PX - height)}
                width={round(width)}
                height={round(height)}
                rx="2"
              >
                <title>{`${label}: ${formatCount(value)}`}</title>
              </rect>
              {value === highest ? (
                <text x={middle} y={round(BARS_BOTTOM_PX - height - 5)} text-anchor="middle">
                  {formatCount(value)}
                </text>
              ) : null}
              {index % every === 0 ? (
                <text x={middle} y={HEIGHT_PX - 10} text-anchor="middle">
                  {label}
                </text>
              ) : null}
            </g>
          )
        })}
      </svg>
    </figure>
  )
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
