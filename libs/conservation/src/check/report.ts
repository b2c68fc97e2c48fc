// Describes the findings of a check for people and programs.
import { topicNames } from '@svc-server/modes/names'

/**
 * `missing`: on the log, acknowledged by the writer, and neither stored nor dead-lettered.
 *
 * `doubled`: one provenance with several raw rows.
 *
 * `surplus`: stored although the record has no such span, or has it among the dead letters.
 *
 * `core`: a key exists in only one of the two tables, or in different versions.
 *
 * `ledger_gap`, `ledger_imbalance`: the ledger does not account for a range.
 *
 * `unpublished`: staged, acknowledged by the propagator, and neither published nor dead-lettered.
 *
 * `overpublished`: published for the first time more often than staged.
 *
 * `ledger_handover`: the propagator's publications and the writer's receipts differ.
 *
 * `lost`: damage of the embedded log that an operator skipped. The number of items is unknown, so each offset counts
 * as one.
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

/** The counted kind of item. `items` is the unit where merged entities are stored among spans and both count. */
export type Unit = 'spans' | 'scores' | 'run items' | 'entities' | 'items'

const units: ReadonlyMap<string, Unit> = new Map([
  [topicNames.scores, 'scores'],
  [topicNames.runItems, 'run items'],
  [topicNames.entities, 'entities'],
  [topicNames.staging, 'items'],
  [topicNames.filled, 'items'],
])

/** The unit that covers all records of a topic. */
export const unitOn = (topic: string): Unit => units.get(topic) ?? 'spans'

export interface Finding {
  readonly kind: FindingKind
  readonly topic: string
  readonly partition: number
  /** Offsets, both inclusive. */
  readonly first: number
  readonly last: number
  /** Number of items, of the kind that `unit` names. */
  readonly spans: number
  readonly unit: Unit
  /** The table, when it is not one of the events tables. */
  readonly table?: string
  /** One affected item, as project/trace/span, project/trace or observation/id, or another hint for finding it. */
  readonly example?: string
}

export interface PartitionReport {
  readonly topic: string
  readonly partition: number
  /**
   * The checked offsets: [from, until). Below `from` the log is deleted or was not requested; from `until` on it is
   * not stored yet.
   */
  readonly from: number
  readonly until: number
  /** Offsets that are not stored yet. */
  readonly waiting: number
  readonly records: number
  /** Spans as counted by the envelopes. */
  readonly spans: number
  /** Merged entities among the spans, which the check looks up by key. */
  readonly entities: number
  /** Spans that events_full holds with their own provenance. */
  readonly stored: number
  /** Spans that were sent again later and merged into the later record's row. */
  readonly superseded: number
  /** Dead-lettered spans. Includes those that only the ledger still knows. */
  readonly deadLettered: number
  /** Dead-lettered spans whose dead letters have left the topic. */
  readonly deadLettersExpired: number
  /** Spans of a deleted trace or project, whose rows are deleted. */
  readonly denied: number
  /** Spans in none of these groups. */
  readonly missing: number
  /** Rows of events_full without and with FINAL, and of events_core with FINAL. */
  readonly rawRows: number
  readonly finalRows: number
  readonly coreFinalRows: number
  /** Spans and entities as counted by the ledger. */
  readonly ledgerSpans: number
  readonly unaccounted: number
}

/** Report on a partition of spans.staging and its processing by the propagator. */
export interface StagedReport {
  readonly topic: string
  readonly partition: number
  /** The checked offsets: [from, until). Offsets from `until` on wait for their window or for a propagator. */
  readonly from: number
  readonly until: number
  readonly waiting: number
  readonly records: number
  /** Spans as counted by the envelopes. */
  readonly spans: number
  /** Merged entities among the spans. */
  readonly entities: number
  /** Spans and entities published to spans.filled for the first time. */
  readonly published: number
  /** Items on spans.filled that were published again with more attributes. */
  readonly republished: number
  readonly deadLettered: number
  /** Dead-lettered items whose dead letters have left the topic. */
  readonly deadLettersExpired: number
  /** Items that are neither published nor dead-lettered. */
  readonly missing: number
  /** Items that the ledger does not account for. */
  readonly unaccounted: number
}

/** Report on a partition whose items are looked up by key, because their tables or rows carry no provenance. */
export interface KeyedReport {
  readonly topic: string
  readonly partition: number
  /** The checked offsets: [from, until). */
  readonly from: number
  readonly until: number
  /** Offsets that are not stored yet. 0 when the partition's span report already counts them. */
  readonly waiting: number
  /** Spans, scores, run items and merged entities that were looked up. */
  readonly items: number
  /** Merged entities among the items. */
  readonly entities: number
  readonly deadLettered: number
  /** Items of a deleted trace or project, whose rows are deleted. */
  readonly denied: number
  /** Items that are not stored, dead-lettered or denied. */
  readonly missing: number
}

export interface ConservationReport {
  readonly conserved: boolean
  /** True when nothing waits: the report covers everything accepted until now. */
  readonly atRest: boolean
  readonly partitions: readonly PartitionReport[]
  readonly staged: readonly StagedReport[]
  /** Reports on the old tables and on merged entities. */
  readonly keyed: readonly KeyedReport[]
  /** The first thousand findings. */
  readonly findings: readonly Finding[]
  /** Dead letters that this release cannot read. */
  readonly unreadableDeadLetters: number
}

const maxFindings = 1000

/** Collects findings and joins adjacent ones into one range. */
export function createFindings() {
  const all: Finding[] = []
  let kept = true
  return {
    /** `unit` defaults to the topic's unit. */
    add({ unit, ...rest }: Omit<Finding, 'unit'> & Partial<Pick<Finding, 'unit'>>): void {
      const finding: Finding = { ...rest, unit: unit ?? unitOn(rest.topic) }
      const before = all.at(-1)
      if (before !== undefined && continues(before, finding)) {
        all[all.length - 1] = { ...before, last: finding.last, spans: before.spans + finding.spans }
      } else if (all.length < maxFindings) all.push(finding)
      else kept = false
    },
    list: (): readonly Finding[] => all,
    /** Returns false when there were more findings than the list holds. */
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
