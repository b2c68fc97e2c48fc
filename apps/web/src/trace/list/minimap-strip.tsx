// The strip above the list. Dragging zooms to a part of the trace, a click shows all of it again.
import { type PointerEvent, useEffect, useMemo, useRef } from 'react'
import { traceText } from '../../text/trace.ts'
import type { TraceModel } from '../model/model.ts'
import css from './list.module.css'
import { drawStrip, stripOf } from './minimap.ts'

interface MinimapProps {
  readonly model: TraceModel
  readonly zoom: { readonly fromUs: number; readonly toUs: number } | undefined
  readonly onZoom: (range: MinimapProps['zoom']) => void
}

/** Made once for each width. */
function stripsOf(model: TraceModel): (width: number) => ReturnType<typeof stripOf> {
  const made = new Map<number, ReturnType<typeof stripOf>>()
  return width => {
    const strip = made.get(width) ?? stripOf(model, width)
    made.set(width, strip)
    return strip
  }
}

/** Shorter drags are clicks. */
const shortestPx = 4

export function Minimap({ model, zoom, onZoom }: MinimapProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const from = useRef<number>(undefined)
  const strips = useMemo(() => stripsOf(model), [model])

  useEffect(() => {
    const element = canvas.current!
    const draw = () => {
      const width = Math.max(1, Math.round(element.clientWidth * devicePixelRatio))
      element.width = width
      element.height = Math.max(1, Math.round(element.clientHeight * devicePixelRatio))
      const strip = strips(width)
      const colors = getComputedStyle(document.documentElement)
      const color = (name: string) => colors.getPropertyValue(name)
      drawStrip(element, strip, { bar: color('--line-strong'), error: color('--error'), path: color('--accent') })
    }
    const resized = new ResizeObserver(draw)
    const themed = new MutationObserver(draw)
    resized.observe(element)
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      resized.disconnect()
      themed.disconnect()
    }
  }, [strips])

  const partOf = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.max(0, Math.min(1, (clientX - left) / width))
  }
  const end = (event: PointerEvent<HTMLElement>) => {
    if (from.current === undefined) return
    const parts = [from.current, partOf(event)].sort((a, b) => a - b) as [number, number]
    from.current = undefined
    const isClick = (parts[1] - parts[0]) * event.currentTarget.clientWidth < shortestPx
    onZoom(isClick ? undefined : { fromUs: parts[0] * model.totalUs, toUs: parts[1] * model.totalUs })
  }
  const total = Math.max(1, model.totalUs)
  return (
    <div
      className={css['minimap']}
      role="img"
      aria-label={traceText.minimap}
      onPointerDown={event => {
        from.current = partOf(event)
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerUp={end}
      onPointerCancel={() => {
        from.current = undefined
      }}
    >
      <canvas ref={canvas} />
      {zoom !== undefined && (
        <div
          className={css['window']}
          style={{ left: `${(zoom.fromUs / total) * 100}%`, width: `${((zoom.toUs - zoom.fromUs) / total) * 100}%` }}
        />
      )}
    </div>
  )
}
