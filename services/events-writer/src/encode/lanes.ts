// Each lane has its own encoder and thread. Records of the background topics have their own lane, so that a slow record of these topics
// does not delay the records of other topics (F26).
import type { EncodedRows } from '../destinations/row-encoder.ts'
import type { EncoderHost } from './host.ts'

export interface EncoderLane {
  /** True if the thread runs at a lower priority. */
  readonly isBackground: boolean
}

/** Calls `createEncoder` once per lane. */
export function createEncoderLanes(background: readonly string[], createEncoder: (lane: EncoderLane) => EncoderHost): EncoderHost {
  const behind = new Set(background)
  const lanes = { front: createEncoder({ isBackground: false }), background: createEncoder({ isBackground: true }) }
  const laneOf = ({ topic }: { readonly topic: string }) => (behind.has(topic) ? lanes.background : lanes.front)
  /** The encoder that made each block. The memory of a block must return to the thread that allocated it. */
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
