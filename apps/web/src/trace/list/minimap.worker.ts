// Draws the minimap's strip in a worker, because drawing 100,000 rows takes longer than a frame.
import { type Colors, drawStrip, type Strip, type StripRows, stripOf } from './minimap.ts'

export type MinimapRequest =
  | { readonly canvas: OffscreenCanvas; readonly rows: StripRows }
  | { readonly width: number; readonly height: number; readonly colors: Colors }

let shown: { readonly canvas: OffscreenCanvas; readonly rows: StripRows } | undefined
let made: { readonly width: number; readonly strip: Strip } | undefined

addEventListener('message', ({ data }: MessageEvent<MinimapRequest>) => {
  if ('canvas' in data) {
    shown = data
    return
  }
  if (shown === undefined) return
  const { width, height, colors } = data
  if (made?.width !== width) made = { width, strip: stripOf(shown.rows, width) }
  shown.canvas.width = width
  shown.canvas.height = height
  drawStrip(shown.canvas, made.strip, colors)
})
