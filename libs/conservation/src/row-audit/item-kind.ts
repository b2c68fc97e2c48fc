// What records have: spans, or they are one item themselves.
import { topicNames } from '@svc-server/modes/names'

export type ItemKind = 'span' | 'score' | 'run item' | 'trace' | 'observation'

const kinds: ReadonlyMap<string, ItemKind> = new Map([
  [topicNames.scores, 'score'],
  [topicNames.runItems, 'run item'],
  [topicNames.entities, 'trace'],
])

/** Where nobody can say what a record has, or had. */
export const kindOnTopic = (topic: string): ItemKind => kinds.get(topic) ?? 'span'

/** Merged from events of the legacy API, and from what spans say of their trace. */
export const isMerged = (kind: ItemKind): boolean => kind === 'trace' || kind === 'observation'

const topicsWithEntities: ReadonlySet<string> = new Set([topicNames.entities, topicNames.staging, topicNames.filled])

/** Elsewhere such a record is one that nobody can take: it must not be passed over. */
export const mayHaveEntities = (topic: string): boolean => topicsWithEntities.has(topic)
