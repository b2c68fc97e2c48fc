// The strip above the list shows the whole trace. If the user drags over a part of the strip, the bars in the list
// show only this part of the trace's time. If the user clicks the strip, the bars show the whole time again.
import { type PointerEvent, useEffect, useRef } from 'react'
import { traceText } from '../../text/trace.ts'
import { startWorker } from '../../trusted/policy.ts'
import type { TraceModel } from '../model/model.ts'
import css from './list.module.css'
import { stripRows } from './minimap.ts'
import type { MinimapRequest } from './minimap.worker.ts'
import workerUrl from './minimap.worker.ts?worker&url'

interface MinimapProps {
  readonly model: TraceModel
  readonly zoom: { readonly fromUs: number; readonly toUs: number } | undefined
  readonly onZoom: (range: MinimapProps['zoom']) => void
}

const shortestPx = 4

export function Minimap({ model, zoom, onZoom }: MinimapProps) {
  const strip = useRef<HTMLDivElement>(null)
  const from = useRef<number>(undefined)

  useEffect(() => {
    let end: (() => void) | undefined
    // The strip is drawn in a separate task, after the list.
    const timer = setTimeout(() => {
      end = showStrip()
    })
    return () => {
      clearTimeout(timer)
      end?.()
    }

    function showStrip(): () => void {
      // A canvas can be transferred only once, so each worker needs a new canvas.
      const canvas = document.createElement('canvas')
      strip.current!.prepend(canvas)
      const worker = startWorker(workerUrl)
      const send = (request: MinimapRequest, transfer: Transferable[] = []) => worker.postMessage(request, transfer)
      const offscreen = canvas.transferControlToOffscreen()
      send({ canvas: offscreen, rows: stripRows(model) }, [offscreen])
      const draw = () => {
        const styles = getComputedStyle(document.documentElement)
        const color = (name: string) => styles.getPropertyValue(name)
        send({
          width: Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio)),
          height: Math.max(1, Math.round(canvas.clientHeight * devicePixelRatio)),
          colors: { bar: color('--line-strong'), error: color('--error'), path: color('--accent') },
        })
      }
      const resized = new ResizeObserver(draw)
      const themed = new MutationObserver(draw)
      const scheme = matchMedia('(prefers-color-scheme: dark)')
      resized.observe(canvas)
      themed.observe(document.documentElement, { attributeFilter: ['data-theme'] })
      scheme.addEventListener('change', draw)
      return () => {
        resized.disconnect()
        themed.disconnect()
        scheme.removeEventListener('change', draw)
        worker.terminate()
        canvas.remove()
      }
    }
  }, [model])

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
      ref={strip}
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
      {zoom !== undefined && (
        <div
          className={css['window']}
          style={{ left: `${(zoom.fromUs / total) * 100}%`, width: `${((zoom.toUs - zoom.fromUs) / total) * 100}%` }}
        />
      )}
    </div>
  )
}
