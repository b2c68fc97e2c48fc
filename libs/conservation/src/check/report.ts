// The report of a check, for people and programs.
import { topicNames } from '@svc-server/modes/names'

/**
 * `missing`: the item is on the log and the writer acknowledged it, but it is neither stored nor dead-lettered.
 *
 * `doubled`: several raw rows have the same provenance.
 *
 * `surplus`: the provenance of a stored row names a span that the record on the log does not have, or a span that is a dead letter.
 *
 * `core`: a key exists in only one of the two events tables, or the two tables have different versions of the key.
 *
 * `ledger_gap`: the ledger has no row for a range. `ledger_imbalance`: the numbers in the row of a range do not add up.
 *
 * `unpublished`: the item is staged and the propagator acknowledged it, but it is neither published nor dead-lettered.
 *
 * `overpublished`: more items were published than there are staged items without dead letters. Publications by repairs do not count.
 *
 * `ledger_handover`: the propagator published a different number of items than the writer received.
 *
 * `lost`: a damaged range of the embedded log that an operator skipped. Counts one item per lost offset, because the number of lost items
 * is unknown.
 */
type FindingKind =
  | 'missing'
  | 'doubled'
  | 'surplus'
  | 'core'
  | 'ledger_gap'
  | 'ledger_imbalance'
  | 'unpublished'
  | 'overpublished'
  | 'ledger_handover'
  | 'lost'

/** What a report counts; `items` means spans and merged entities. */
export type Unit = 'spans' | 'scores' | 'run items' | 'entities' | 'items'

const units: ReadonlyMap<string, Unit> = new Map([
  [topicNames.scores, 'scores'],
  [topicNames.runItems, 'run items'],
  [topicNames.entities, 'entities'],
  [topicNames.staging, 'items'],
  [topicNames.filled, 'items'],
])

export const unitOn = (topic: string): Unit => units.get(topic) ?? 'spans'

export interface Finding {
  readonly kind: FindingKind
  readonly topic: string
  readonly partition: number
  /** Inclusive. */
  readonly first: number
  readonly last: number
  /** Affected items. */
  readonly spans: number
  readonly unit: Unit
  /** Absent for the events tables. */
  readonly table?: string
  /** Name of one of the items, for example project/trace/span, project/trace, or observation/id. */
  readonly example?: string
}

export interface PartitionReport {
  readonly topic: string
  readonly partition: number
  /** The checked range; `until` is exclusive. Earlier records are deleted or were not requested; later records are not stored yet. */
  readonly from: number
  readonly until: number
  /** Number of offsets whose records are not stored yet. */
  readonly waiting: number
  readonly records: number
  /** Number of spans according to the envelopes. */
  readonly spans: number
  /** Merged entities among the spans. Rows of merged entities have no provenance, so the check looks up these entities by key. */
  readonly entities: number
  /** Spans for which events_full contains a row with the span's own provenance. */
  readonly stored: number
  /** Spans without a row of their own, because they were sent again and a merge kept only the row of a later sending. */
  readonly superseded: number
  /** Dead-lettered spans, including those that only the ledger still counts. */
  readonly deadLettered: number
  /** Dead-lettered spans whose dead letters are no longer on the topic. */
  readonly deadLettersExpired: number
  /** Spans of deleted traces and projects. */
  readonly denied: number
  /** Spans that are in none of the groups above: `stored`, `superseded`, `deadLettered`, `denied`. */
  readonly missing: number
  /** Rows of events_full, without FINAL. */
  readonly rawRows: number
  /** Rows of events_full, with FINAL. */
  readonly finalRows: number
  /** Rows of events_core, with FINAL. */
  readonly coreFinalRows: number
  /** Number of spans and entities that the ledger counts. */
  readonly ledgerSpans: number
  readonly unaccounted: number
}

/** Compares the staged items of one partition of spans.staging with the items that the propagator published. */
export interface StagedReport {
  readonly topic: string
  readonly partition: number
  /**
   * The checked range; `until` is exclusive. The range ends at the propagator's committed offset, because no propagator has acknowledged
   * the records from `until` on.
   */
  readonly from: number
  readonly until: number
  readonly waiting: number
  readonly records: number
  /** Number of spans according to the envelopes. */
  readonly spans: number
  /** Merged entities among the spans. */
  readonly entities: number
  /** Items that were published to spans.filled for the first time. */
  readonly published: number
  /** Items that were published again, with more attributes. */
  readonly republished: number
  readonly deadLettered: number
  /** Dead-lettered items whose dead letters are no longer on the topic. */
  readonly deadLettersExpired: number
  /** Items that are neither published nor dead-lettered. */
  readonly missing: number
  /** Items for which the ledger does not account. */
  readonly unaccounted: number
}

/** A partition whose items are looked up by key, because their rows have no provenance. */
export interface KeyedReport {
  readonly topic: string
  readonly partition: number
  /** From `from` to `until`, exclusive. */
  readonly from: number
  readonly until: number
  /**
   * Number of offsets whose records are not stored yet. 0 if the partition also has a report on spans, because that report counts these
   * offsets.
   */
  readonly waiting: number
  /** Spans, scores, run items and merged entities. */
  readonly items: number
  /** Merged entities among the items. */
  readonly entities: number
  readonly deadLettered: number
  /** Items of deleted traces and projects. */
  readonly denied: number
  /** Items that are neither stored nor dead-lettered nor denied. */
  readonly missing: number
}

export interface ConservationReport {
  readonly conserved: boolean
  /** True if no records are waiting, so that the report covers everything accepted until now. */
  readonly atRest: boolean
  readonly partitions: readonly PartitionReport[]
  readonly staged: readonly StagedReport[]
  /** Reports on the old tables and on merged entities. */
  readonly keyed: readonly KeyedReport[]
  /** The first findings, at most a thousand. */
  readonly findings: readonly Finding[]
  /** Dead letters that this release cannot read. */
  readonly unreadableDeadLetters: number
}

const maxFindings = 1000

/** Joins adjacent findings of the same kind. */
export function createFindings() {
  const all: Finding[] = []
  let kept = true
  return {
    add({ unit, ...rest }: Omit<Finding, 'unit'> & Partial<Pick<Finding, 'unit'>>): void {
      const finding: Finding = { ...rest, unit: unit ?? unitOn(rest.topic) }
      const before = all.at(-1)
      if (before !== undefined && continues(before, finding)) {
        all[all.length - 1] = { ...before, last: finding.last, spans: before.spans + finding.spans }
      } else if (all.length < maxFindings) all.push(finding)
      else kept = false
    },
    list: (): readonly Finding[] => all,
    /** False if the list was full, so that further findings were left out. */
    complete: () => kept,
  }
}

export type Findings = ReturnType<typeof createFindings>

const continues = (a: Finding, b: Finding) =>
  a.kind === b.kind &&
  a.topic === b.topic &&
  a.unit === b.unit &&
  a.table === b.table &&
  a.partition === b.partition &&
  (a.last + 1 === b.first || a.last === b.first)
