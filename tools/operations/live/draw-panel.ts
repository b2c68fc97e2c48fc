// A panel as a drawing: its question, its lines, a scale that can be read, and the names of its largest series.
import type { Series } from './prometheus-server.ts'

export interface DrawnPanel {
  readonly question: string
  readonly unit: string
  readonly lines: readonly Line[]
}

interface Line {
  readonly name: string
  readonly values: Series['values']
}

interface Place {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

interface Span {
  readonly from: number
  readonly to: number
}

const colours = ['#2f6fde', '#d9822b', '#238551', '#c23030', '#7961db', '#0f8a8a', '#96622d', '#c22762']
const maxPoints = 120
const [textColour, faint, grid] = ['#1c2127', '#5f6b7c', '#e5e8eb']

export const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const rounded = (value: number) => (value >= 100 ? Math.round(value).toString() : String(Number(value.toPrecision(2))))
const scaled = (value: number, steps: readonly (readonly [number, string])[]) => {
  const [size, suffix] = steps.find(([size]) => Math.abs(value) >= size) ?? steps.at(-1)!
  return `${rounded(value / size)}${suffix}`
}
const large = [
  [1e9, ' G'],
  [1e6, ' M'],
  [1e3, ' k'],
  [1, ''],
] as const
const bytes = [
  [2 ** 30, ' GiB'],
  [2 ** 20, ' MiB'],
  [2 ** 10, ' KiB'],
  [1, ' B'],
] as const
const times = [
  [86_400, ' d'],
  [3600, ' h'],
  [60, ' min'],
  [1, ' s'],
  [1e-3, ' ms'],
  [1e-6, ' µs'],
] as const

/** A value as Grafana shows it in this unit. */
export function inUnit(value: number, unit: string): string {
  if (value === 0) return '0'
  if (unit === 's') return scaled(value, times)
  if (unit === 'bytes') return scaled(value, bytes)
  if (unit === 'Bps') return `${scaled(value, bytes)}/s`
  if (unit === 'percentunit') return `${rounded(value * 100)} %`
  const perSecond = unit === 'cps' || unit === 'reqps' ? '/s' : ''
  return scaled(value, Math.abs(value) < 1 ? [[1, ''] as const] : large) + perSecond
}

const roundTimes = [60, 120, 300, 600, 1200, 3600, 7200, 14_400, 43_200, 86_400]

/** The next of 1, 2, 5, 10 … at or above, or of round times: a scale is to be read, not exact. */
function roundUp(value: number, unit: string): number {
  if (value <= 0) return 1
  const time = unit === 's' && value > 50 ? roundTimes.find(each => each >= value) : undefined
  if (time !== undefined) return time
  const isBytes = unit === 'bytes' || unit === 'Bps'
  if (isBytes && value >= 1024) return 1024 * roundUp(value / 1024, unit)
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= value * (1 - 1e-9))!
}

const finite = ({ values }: Line) => values.filter(([, value]) => Number.isFinite(value))
const largest = (line: Line) => finite(line).reduce((max, [, value]) => Math.max(max, value), 0)

function pathOf(line: Line, { from, to }: Span, top: number, { left, top: y, width, height }: Place): string {
  const points = finite(line)
  const every = Math.max(1, Math.ceil(points.length / maxPoints))
  const gap = (3 * every * (to - from)) / maxPoints
  let at: readonly [number, number] | undefined
  let before = 0
  let path = ''
  points.forEach(([seconds, value], index) => {
    if (index % every > 0 && index < points.length - 1) return
    const next = [
      Math.round(left + ((seconds - from) / (to - from)) * width),
      Math.round(y + height - (Math.min(value, top) / top) * height),
    ] as const
    path += at === undefined || seconds - before > gap ? `M${next[0]} ${next[1]}` : `l${next[0] - at[0]} ${next[1] - at[1]}`
    at = next
    before = seconds
  })
  return path
}

const text = (x: number, y: number, what: string, more = '') => `<text x="${x}" y="${y}" ${more}>${escaped(what)}</text>`
const cut = (name: string, length: number) => (name.length > length ? `${name.slice(0, length - 1)}…` : name)

/** As SVG, in a place of the picture. */
export function drawPanel({ question, unit, lines }: DrawnPanel, span: Span, place: Place): string {
  const shown = lines.toSorted((one, other) => largest(other) - largest(one)).slice(0, colours.length)
  const columns = shown.length > 4 ? 3 : 2
  const rows = Math.ceil(shown.length / columns)
  const chart = { left: place.left + 58, top: place.top + 34, width: place.width - 72, height: place.height - 62 - 15 * rows }
  const top = roundUp(Math.max(...shown.map(largest), 0), unit)
  const out = [
    `<rect x="${place.left}" y="${place.top}" width="${place.width}" height="${place.height}" rx="4" fill="#fff" stroke="${grid}"/>`,
    text(place.left + 12, place.top + 22, question, `font-size="14" font-weight="600" fill="${textColour}"`),
  ]
  for (const share of [0, 0.5, 1]) {
    const y = Math.round(chart.top + chart.height * (1 - share))
    out.push(`<path d="M${chart.left} ${y}h${chart.width}" stroke="${grid}"/>`)
    out.push(text(chart.left - 6, y + 4, inUnit(top * share, unit), 'text-anchor="end"'))
  }
  const minutes = (span.to - span.from) / 60
  const step = [1, 2, 5, 10, 20, 30].find(each => minutes / each <= 6) ?? 60
  for (let minute = 0; minute <= minutes; minute += step)
    out.push(
      text(
        Math.round(chart.left + (minute / minutes) * chart.width),
        chart.top + chart.height + 15,
        `${minute} min`,
        `text-anchor="${minute > 0.95 * minutes ? 'end' : 'middle'}"`,
      ),
    )
  shown.forEach((line, index) => {
    const colour = colours[index]!
    out.push(`<path d="${pathOf(line, span, top, chart)}" fill="none" stroke="${colour}" stroke-width="1.5"/>`)
    const x = place.left + 14 + (index % columns) * Math.floor((place.width - 20) / columns)
    const y = chart.top + chart.height + 34 + 15 * Math.floor(index / columns)
    out.push(`<path d="M${x} ${y - 4}h12" stroke="${colour}" stroke-width="3"/>`)
    out.push(text(x + 17, y, cut(line.name, columns === 3 ? 21 : 34), `fill="${textColour}"`))
  })
  return `<g font-size="11" fill="${faint}">${out.join('')}</g>`
}
