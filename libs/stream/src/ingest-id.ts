// Encodes `x-svc-ingest-id` (contract §23). This id contains the log positions of a request's records, encrypted for the sender of the
// request. Unencrypted, the offsets in these positions would reveal how much other projects send.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { RecordPosition } from '@svc-server/log'
import { type TopicName, topicNames } from '@svc-server/modes/names'

/**
 * For each topic and partition, an offset. The records are readable only after the consumer groups that process the topic (`waysFrom`) have
 * committed this offset. `all` means all records that are on the topic at the start of the wait.
 */
export type Awaited = ReadonlyMap<TopicName, ReadonlyMap<number, number> | 'all'>

export interface IngestIds {
  /**
   * Encrypts positions for `owner`. The id has at most `maxIngestIdChars` characters of base64url. Returns undefined if there are no
   * positions.
   */
  seal(owner: string, positions: readonly RecordPosition[]): string | undefined
  /** Decrypts an id. Returns undefined if the id belongs to a different deployment or owner. */
  open(owner: string, id: string): Awaited | undefined
}

/**
 * Maximum number of partitions of a topic in an id. If a request has records on more partitions, the id names the whole topic, so that the
 * id fits into a header.
 */
const maxPartitions = 64
export const maxIngestIdChars = 2_000

/** A letter must never change, because clients also use ids that were made before an upgrade. */
const letters: Readonly<Record<TopicName, string>> = {
  [topicNames.direct]: 'd',
  [topicNames.staging]: 's',
  [topicNames.filled]: 'f',
  [topicNames.traceAttributes]: 'a',
  [topicNames.ledger]: 'l',
  [topicNames.overflow]: 'o',
  [topicNames.ingestion]: 'i',
  [topicNames.traceParts]: 'p',
  [topicNames.entities]: 'e',
  [topicNames.scores]: 'c',
  [topicNames.runItems]: 'r',
  [topicNames.sdkUsage]: 'u',
  [topicNames.commands]: 'm',
  [topicNames.deadLetter]: 'x',
}
const topicsByLetter = new Map(Object.entries(letters).map(([topic, letter]) => [letter, topic as TopicName]))

const version = '1'
const nonceBytes = 12
const tagBytes = 16
const algorithm = 'aes-256-gcm'

/** Returns, for each topic and partition in `positions`, the offset after the highest offset of this partition in `positions`. */
export function awaitedOf(positions: readonly RecordPosition[]): Awaited {
  const topics = new Map<TopicName, Map<number, number>>()
  for (const { topic, partition, offset } of positions) {
    const partitions = topics.get(topic as TopicName) ?? new Map<number, number>()
    topics.set(topic as TopicName, partitions.set(partition, Math.max(offset + 1, partitions.get(partition) ?? 0)))
  }
  return topics
}

/** Returns a text such as `d3:1522,5:88 c*`: topic `d` with partition 3 at offset 1522 and partition 5 at offset 88; all of topic `c`. */
function written(awaited: Awaited): string {
  const topic = ([name, partitions]: [TopicName, ReadonlyMap<number, number> | 'all']) => {
    if (partitions === 'all' || partitions.size > maxPartitions) return `${letters[name]}*`
    return letters[name] + [...partitions].map(([partition, offset]) => `${partition}:${offset}`).join(',')
  }
  return [...awaited].map(topic).join(' ')
}

/** Parses a decrypted id. */
function read(text: string): Awaited | undefined {
  const awaited = new Map<TopicName, ReadonlyMap<number, number> | 'all'>()
  for (const part of text.split(' ')) {
    const topic = topicsByLetter.get(part[0] ?? '')
    if (topic === undefined) return undefined
    const numbers = (pair: string) => pair.split(':').map(Number) as [number, number]
    awaited.set(topic, part[1] === '*' ? 'all' : new Map(part.slice(1).split(',').map(numbers)))
  }
  return awaited
}

/** Every process of a deployment must have the same `secret`. */
export function createIngestIds(secret: string): IngestIds {
  const key = createHash('sha256').update(`x-svc-ingest-id ${secret}`).digest()
  const aad = (owner: string) => Buffer.from(`${version} ${owner}`)

  return {
    seal(owner, positions) {
      if (positions.length === 0) return undefined
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(aad(owner))
      const sealed = [nonce, cipher.update(written(awaitedOf(positions))), cipher.final(), cipher.getAuthTag()]
      return version + Buffer.concat(sealed).toString('base64url')
    },
    open(owner, id) {
      if (id.length > maxIngestIdChars || !/^1[\w-]+$/.test(id)) return undefined
      const bytes = Buffer.from(id.slice(1), 'base64url')
      if (bytes.length <= nonceBytes + tagBytes) return undefined
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes }).setAAD(aad(owner))
      decipher.setAuthTag(bytes.subarray(-tagBytes))
      try {
        return read(decipher.update(bytes.subarray(nonceBytes, -tagBytes)).toString() + decipher.final().toString())
      } catch {
        // `decipher.final` throws if the id was encrypted with another secret or for another owner.
        return undefined
      }
    },
  }
}
