import { topicNames } from '@svc-server/modes/names'

export type ItemKind = 'span' | 'score' | 'run item' | 'trace' | 'observation'

const kinds: ReadonlyMap<string, ItemKind> = new Map([
  [topicNames.scores, 'score'],
  [topicNames.runItems, 'run item'],
  [topicNames.entities, 'trace'],
])

/** Returns the kind of item that a topic contains. Used for records that are lost or cannot be read. */
export const kindOnTopic = (topic: string): ItemKind => kinds.get(topic) ?? 'span'

/** True for items that the merger makes from several inputs: legacy API events, and span attributes that describe the trace. */
export const isMerged = (kind: ItemKind): boolean => kind === 'trace' || kind === 'observation'

const topicsWithEntities: ReadonlySet<string> = new Set([topicNames.entities, topicNames.staging, topicNames.filled])

/**
 * True for topics that can have records of the type `Entity`. On any other topic, such a record is unreadable, and the check must report
 * it.
 */
export const mayHaveEntities = (topic: string): boolean => topicsWithEntities.has(topic)
