// Computes and draws the number of running observations for each pixel column. A mark at the top shows errors, and a mark at the bottom
// shows the critical path.
import { errorLevel, type TraceModel } from '../model/model.ts'

export interface Strip {
  /** Height of each pixel column, as a fraction of the height of the fullest column. */
  readonly heights: Float32Array
  readonly errors: Uint8Array
  readonly path: Uint8Array
}

export type StripRows = Pick<TraceModel, 'rows' | 'orphanage' | 'startsUs' | 'endsUs' | 'levels' | 'isOnPath' | 'totalUs' | 'children'>

export const stripRows = ({ rows, orphanage, startsUs, endsUs, levels, isOnPath, totalUs, children }: TraceModel): StripRows => ({
  ...{ rows, orphanage, startsUs, endsUs, levels, isOnPath, totalUs, children },
})

export function stripOf({ rows, orphanage, startsUs, endsUs, levels, isOnPath, totalUs, children }: StripRows, columns: number): Strip {
  const [deltas, failed, waited] = [new Int32Array(columns + 1), new Int32Array(columns + 1), new Int32Array(columns + 1)]
  const [errors, path] = [new Uint8Array(columns), new Uint8Array(columns)]
  const at = (us: number) => Math.max(0, Math.min(columns - 1, Math.floor((us / Math.max(1, totalUs)) * columns)))
  for (let row = 0; row < rows; row++) {
    if (row === orphanage) continue
    const [from, to] = [at(startsUs[row]!), at(endsUs[row]!)]
    const count = (of: Int32Array) => {
      of[from]!++
      of[to + 1]!--
    }
    count(deltas)
    if (levels[row] === errorLevel) count(failed)
    if (isOnPath[row] === 1 && children.begins[row] === children.begins[row + 1]) count(waited)
  }
  const heights = new Float32Array(columns)
  let [running, failing, waiting, most] = [0, 0, 0, 1]
  for (let column = 0; column < columns; column++) {
    running += deltas[column]!
    failing += failed[column]!
    waiting += waited[column]!
    errors[column] = failing > 0 ? 1 : 0
    path[column] = waiting > 0 ? 1 : 0
    heights[column] = running
    most = Math.max(most, running)
  }
  // Heights are square roots of the shares, because on a linear scale 2 observations would be invisible next to 1,000.
  for (let column = 0; column < columns; column++) heights[column] = Math.sqrt(heights[column]! / most)
  return { heights, errors, path }
}

export interface Colors {
  readonly bar: string
  readonly error: string
  readonly path: string
}

export function drawStrip(canvas: OffscreenCanvas, { heights, errors, path }: Strip, { bar, error, path: pathColor }: Colors): void {
  const context = canvas.getContext('2d')
  if (context === null) return
  const { width, height } = canvas
  context.clearRect(0, 0, width, height)
  for (let column = 0; column < heights.length; column++) {
    const tall = Math.round(heights[column]! * (height - 8))
    context.fillStyle = bar
    context.fillRect(column, height - tall, 1, tall)
    if (path[column] === 1) {
      context.fillStyle = pathColor
      context.fillRect(column, height - 2, 1, 2)
    }
    if (errors[column] === 1) {
      context.fillStyle = error
      context.fillRect(column, 0, 1, 4)
    }
  }
}
