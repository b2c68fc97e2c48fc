// An item that could not be processed, with its provenance and bytes, so that an operator can replay it (architecture
// §7).
import { topicNames } from '@svc-server/modes/names'
import { deadLetterHistory } from './avro/history.ts'
import { createRecordCodec } from './avro/record-codec.ts'
import { deadLetterSchema } from './avro/records.ts'
import { UndecodableRecord } from './avro/undecodable-record.ts'
import { maxRecordBytes } from './topics.ts'

export interface DeadLetter {
  /** An id of the form topic/partition/offset/index. The replay, the check, and the list of dead letters find duplicates by this id. */
  readonly id: string
  readonly stage: string
  readonly reason: string
  readonly message: string
  readonly projectId: string | null
  readonly topic: string
  readonly partition: number
  readonly offset: number
  /** Index of the item in its record. Null if the dead letter is the whole record. */
  readonly index: number | null
  readonly raw: Uint8Array
  readonly atMs: number
}

const codec = createRecordCodec<DeadLetter>(deadLetterSchema, deadLetterHistory)

export const encodeDeadLetter = (letter: DeadLetter): Buffer => codec.encode(letter)

/** `raw` is a view of `bytes`. Throws UndecodableRecord. */
export const decodeDeadLetter = (bytes: Uint8Array): DeadLetter => codec.decode(bytes)

/** Returns null if the bytes are not a dead letter, or if a newer release wrote them. */
export function readDeadLetter(bytes: Uint8Array): DeadLetter | null {
  try {
    return decodeDeadLetter(bytes)
  } catch (error) {
    if (error instanceof UndecodableRecord) return null
    throw error
  }
}

/** Returns the id of a dead letter. For a whole record, `-` replaces the index. */
export const deadLetterId = (topic: string, partition: number, offset: number, index: number | null): string =>
  `${topic}/${partition}/${offset}/${index ?? '-'}`

/** Properties that the dead letters of all stages share. */
export const deadLetterForm = {
  topic: topicNames.deadLetter,
  encode: ({ owner, ...item }: Omit<DeadLetter, 'id' | 'projectId'> & { readonly owner: string | null }): Buffer =>
    encodeDeadLetter({ ...item, id: deadLetterId(item.topic, item.partition, item.offset, item.index), projectId: owner }),
  // The dead letter's other fields have the remaining 64 KiB of the record.
  maxRawBytes: maxRecordBytes - 64 * 1024,
} as const
