// A histogram of observations over time, with errors shown separately.
import { useQuery } from '@tanstack/react-query'
import { type PointerEvent, useMemo, useRef, useState } from 'react'
import { call, type ResultOf } from '../api/client.ts'
import { Button } from '../design/button.tsx'
import type { FilterCondition } from '../filter/condition.ts'
import { useKeys } from '../keys/keys.ts'
import type { TimeRange } from '../search/range.ts'
import { observationsText as text } from '../text/observations.ts'
import { count, dayAndMinute } from '../text/units.ts'
import { edgesOf } from '../text/wall.ts'
import { zoneName } from '../text/zone.ts'
import css from './histogram.module.css'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Buckets must be wide enough to draw and few enough for one response. */
const steps = [
  { ms: minuteMs, upToMs: 3 * hourMs },
  { ms: hourMs, upToMs: 7 * dayMs },
  { ms: dayMs, upToMs: Number.POSITIVE_INFINITY },
] as const

type Bucket = ResultOf<'webRows.histogram'>['buckets'][number]

interface HistogramProps {
  readonly project: string
  readonly conditions: readonly FilterCondition[]
  readonly range: TimeRange
  readonly isEnabled: boolean
  readonly part: TimeRange | undefined
  /**
   * Called when the user selects or moves a part of the time range, and with undefined when the user removes the selection. If
   * `isDiffering` is true, the page compares the part with the rest of the range.
   */
  readonly onPart: (part: Part | undefined, isDiffering?: boolean) => void
  readonly onZoom: () => void
  readonly isDiffering: boolean
  readonly onDiffers: () => void
}

type Part = Pick<TimeRange, 'fromMs' | 'toMs'>

interface Bar extends Bucket {
  readonly endMs: number
}

function barsOf(found: readonly Bucket[], { fromMs, toMs }: TimeRange, stepMs: number): readonly Bar[] {
  const edges = edgesOf(fromMs, toMs, stepMs)
  const isDay = stepMs === dayMs
  const bars = edges.slice(0, -1).map(({ ms }, at) => ({ startMs: ms, endMs: edges[at + 1]!.ms, count: 0, errors: 0 }))
  for (const { startMs, count: all, errors } of found) {
    const bar = bars[edges.findLastIndex(({ ms, wall }) => (isDay ? wall : ms) <= startMs)]
    if (bar === undefined) continue
    bar.count += all
    bar.errors += errors
  }
  return bars
}

function useBars({ project, conditions, range, isEnabled }: Pick<HistogramProps, 'project' | 'conditions' | 'range' | 'isEnabled'>) {
  const lengthMs = range.toMs - range.fromMs
  const stepMs = steps.find(({ upToMs }) => lengthMs <= upToMs)!.ms
  const filter = JSON.stringify(conditions)
  const timeZone = zoneName()
  const query = useQuery({
    queryKey: ['histogram', project, filter, range.fromMs, range.toMs, timeZone],
    queryFn: ({ signal }) =>
      call('webRows.histogram', {
        project,
        query: {
          ...{ stepMs, filter, timeZone },
          fromStartTime: new Date(range.fromMs).toISOString(),
          toStartTime: new Date(range.toMs).toISOString(),
        },
        signal,
      }),
    placeholderData: before => before,
    enabled: isEnabled,
  })
  const found = query.data?.buckets
  const bars = useMemo(() => barsOf(found ?? [], range, stepMs), [found, range, stepMs])
  return { bars, error: query.error }
}

const height = 44

type Span = readonly [from: number, to: number]
const inOrder = ([a, b]: Span): Span => (a < b ? [a, b] : [b, a])

/** `of` contains the start and the end of the brush, as fractions of the width. */
function Brush({ of }: { readonly of: Span }) {
  const [from, to] = inOrder(of)
  return <div className={css['brush']} style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }} />
}

/** Selects a part of the histogram with the keyboard. One key selects the fullest bucket; other keys move or extend the selected part. */
function usePartKeys(bars: readonly Bar[], { part, onPart, onZoom, onDiffers }: HistogramProps): void {
  const moved = (ms: number, by: number) => timeAt(bars, positionOf(bars, ms) + by)
  const shift = (from: number, to: number) => part && onPart({ fromMs: moved(part.fromMs, from), toMs: moved(part.toMs, to) })
  function fullest(isDiffering?: boolean): void {
    const first = bars[0]
    if (first === undefined) return
    const { startMs, endMs } = bars.reduce((most, each) => (each.count > most.count ? each : most), first)
    onPart({ fromMs: startMs, toMs: endMs }, isDiffering)
  }
  useKeys([
    { key: 'b', says: text.keys.part, run: () => fullest() },
    { key: ',', says: text.keys.partBefore, run: () => shift(-1, -1) },
    { key: '.', says: text.keys.partAfter, run: () => shift(1, 1) },
    { key: '<', says: text.keys.partLonger, run: () => shift(-1, 0) },
    { key: '>', says: text.keys.partLongerAfter, run: () => shift(0, 1) },
    { key: 'd', says: text.keys.differs, run: () => (part === undefined ? fullest(true) : onDiffers()) },
    { key: 'z', says: text.keys.zoom, run: () => part && onZoom() },
  ])
}

/**
 * Converts a time to a position on the bars. For example, 3.5 is the middle of the bar with index 3. For a time outside all bars, the
 * function assumes further bars, each with the duration of the nearest bar.
 */
function positionOf(bars: readonly Bar[], ms: number): number {
  const at = Math.max(
    0,
    bars.findLastIndex(({ startMs }) => startMs <= ms),
  )
  const bar = bars[at]
  return bar === undefined ? 0 : at + (ms - bar.startMs) / (bar.endMs - bar.startMs)
}

function timeAt(bars: readonly Bar[], position: number): number {
  const at = Math.min(Math.max(0, Math.floor(position)), bars.length - 1)
  const bar = bars[at]
  return bar === undefined ? 0 : Math.round(bar.startMs + (position - at) * (bar.endMs - bar.startMs))
}

export function Histogram(props: HistogramProps) {
  const { part, onPart, onZoom, isDiffering, onDiffers } = props
  const { bars, error } = useBars(props)
  const area = useRef<HTMLDivElement>(null)
  const [brush, setBrush] = useState<Span | null>(null)
  usePartKeys(bars, props)
  if (error !== null) {
    return (
      <p role="status" className={css['axis']}>
        {text.histogramFailed(error.message)}
      </p>
    )
  }
  const most = Math.max(
    1,
    bars.reduce((max, bar) => Math.max(max, bar.count), 0),
  )
  const share = (event: PointerEvent) => {
    const { left, width } = area.current!.getBoundingClientRect()
    return Math.min(1, Math.max(0, (event.clientX - left) / width))
  }
  const [firstMs, lastMs] = [bars[0]?.startMs ?? 0, bars.at(-1)?.endMs ?? 0]
  const shareAt = (ms: number) => Math.min(1, Math.max(0, positionOf(bars, ms) / bars.length))
  const chosen = brush ?? (part && lastMs > firstMs ? ([shareAt(part.fromMs), shareAt(part.toMs)] as const) : null)
  function choose(): void {
    if (brush === null) return
    const [from, to] = inOrder(brush)
    setBrush(null)
    const at = (of: number) => timeAt(bars, of * bars.length)
    if (to - from >= 0.004) return onPart({ fromMs: at(from), toMs: at(to) })
    const bar = bars[Math.min(bars.length - 1, Math.floor(from * bars.length))]
    if (bar !== undefined) onPart({ fromMs: bar.startMs, toMs: bar.endMs })
  }
  const peak = (value: number) => (value === 0 ? 0 : Math.max(2, (value / most) * height))
  return (
    <div className={css['histogram']}>
      <div
        ref={area}
        className={css['area']}
        role="img"
        aria-label={text.histogram}
        title={text.histogram}
        onPointerDown={event => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setBrush([share(event), share(event)])
        }}
        onPointerMove={event => brush !== null && setBrush([brush[0], share(event)])}
        onPointerUp={choose}
      >
        <svg className={css['bars']} viewBox={`0 0 ${Math.max(1, bars.length)} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {bars.map(({ startMs, count: all, errors }, at) => (
            <g key={startMs}>
              <title>{text.histogramBar(dayAndMinute(startMs), count(all), count(errors))}</title>
              <rect className={css['hit']} x={at} y={0} width={1} height={height} />
              <rect className={css['all']} x={at + 0.1} width={0.8} y={height - peak(all)} height={peak(all)} />
              {errors > 0 && <rect className={css['errors']} x={at + 0.1} width={0.8} y={height - peak(errors)} height={peak(errors)} />}
            </g>
          ))}
        </svg>
        {chosen !== null && <Brush of={chosen} />}
      </div>
      <div className={css['axis']}>
        <span>{dayAndMinute(firstMs)}</span>
        {part && (
          <span className={css['part']}>
            {dayAndMinute(part.fromMs)} – {dayAndMinute(part.toMs)}
            <Button look="quiet" aria-pressed={isDiffering} onClick={onDiffers}>
              {text.differs}
            </Button>
            <Button look="quiet" onClick={onZoom}>
              {text.zoom}
            </Button>
            <Button look="quiet" onClick={() => onPart(undefined)} aria-label={text.noPart} title={text.noPart}>
              ✕
            </Button>
          </span>
        )}
        <span>{dayAndMinute(lastMs)}</span>
      </div>
    </div>
  )
}
