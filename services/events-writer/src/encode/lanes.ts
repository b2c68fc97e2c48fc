// One encoder per lane. Background records have a thread of their own, so that a slow one never delays a span in front (F26). The thread
// starts with its first job.
import type { EncodedRows } from '../destinations/row-encoder.ts'
import type { EncoderHost } from './host.ts'

export interface EncoderLane {
  /** Its thread goes behind all others. */
  readonly isBackground: boolean
}

/** `createEncoder` is called once for each lane. */
export function createEncoderLanes(background: readonly string[], createEncoder: (lane: EncoderLane) => EncoderHost): EncoderHost {
  const behind = new Set(background)
  const lanes = { front: createEncoder({ isBackground: false }), background: createEncoder({ isBackground: true }) }
  const laneOf = ({ topic }: { readonly topic: string }) => (behind.has(topic) ? lanes.background : lanes.front)
  /** Memory goes back to the thread that it came from. */
  const makers = new WeakMap<EncodedRows['body'], EncoderHost>()

  return {
    async encode(job) {
      const encoder = laneOf(job)
      const encoded = await encoder.encode(job)
      makers.set(encoded.body, encoder)
      return encoded
    },
    places: job => laneOf(job).places(job),
    raws: job => laneOf(job).raws(job),
    recycle: encoded => makers.get(encoded.body)?.recycle(encoded),
    async stop() {
      await Promise.all([lanes.front.stop(), lanes.background.stop()])
    },
  }
}
