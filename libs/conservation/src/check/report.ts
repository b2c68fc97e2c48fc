// What a check found, for people and for programs.
import { topicNames } from '@svc-server/modes/names'

/**
 * missing: on the log, acknowledged by the writer, and neither stored nor dead-lettered. doubled: one provenance with several raw rows. surplus:
 * stored although its record has no such span, or has it among the dead letters. core: a key is in one of the two tables only, or is another version there. ledger_gap,
 * ledger_imbalance: the ledger does not account for a range. unpublished: staged, acknowledged by the propagator, and neither published nor a dead
 * letter. overpublished: published for the first time more often than staged. ledger_handover: what the propagator published and what the writer has
 * of it differ. lost: damage of the embedded log that an operator gave up; of items nobody knows how many, so each offset counts as one.
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

/** What is counted: `items` where merged entities lie among spans, and both are meant. */
export type Unit = 'spans' | 'scores' | 'run items' | 'entities' | 'items'

const units: ReadonlyMap<string, Unit> = new Map([
  [topicNames.scores, 'scores'],
  [topicNames.runItems, 'run items'],
  [topicNames.entities, 'entities'],
  [topicNames.staging, 'items'],
  [topicNames.filled, 'items'],
])

/** Of all that records of a topic have. */
export const unitOn = (topic: string): Unit => units.get(topic) ?? 'spans'

export interface Finding {
  readonly kind: FindingKind
  readonly topic: string
  readonly partition: number
  /** Offsets, both inclusive. */
  readonly first: number
  readonly last: number
  /** How many, of what `unit` says. */
  readonly spans: number
  readonly unit: Unit
  /** Where it is another than the events tables. */
  readonly table?: string
  /** One of them, as project/trace/span or project/trace or observation/id; or what else helps to find it. */
  readonly example?: string
}

export interface PartitionReport {
  readonly topic: string
  readonly partition: number
  /** The offsets that were checked: [from, until). Below `from` the log is gone, or was not asked for; from `until` on it is not stored yet. */
  readonly from: number
  readonly until: number
  /** Offsets that are not stored yet. */
  readonly waiting: number
  readonly records: number
  /** By the envelopes. */
  readonly spans: number
  /** Merged entities among them: looked for by key. */
  readonly entities: number
  /** Of the spans: in events_full with their own provenance. */
  readonly stored: number
  /** Sent again later, and merged into the row of the later record. */
  readonly superseded: number
  /** Those that are no longer among the dead letters, and that the ledger knows, too. */
  readonly deadLettered: number
  /** Of them: no longer among the dead letters. */
  readonly lettersGone: number
  /** Of a trace, or project, that was deleted: gone. */
  readonly denied: number
  /** None of these. */
  readonly missing: number
  /** Rows of events_full as they are, and with FINAL; and of events_core with FINAL. */
  readonly rawRows: number
  readonly finalRows: number
  readonly coreFinalRows: number
  /** By the ledger: spans, and entities. */
  readonly ledgerSpans: number
  readonly unaccounted: number
}

/** A partition of spans.staging: what the propagator made of it. */
export interface StagedReport {
  readonly topic: string
  readonly partition: number
  /** The offsets that were checked: [from, until). From `until` on they wait for their window, or for a propagator. */
  readonly from: number
  readonly until: number
  readonly waiting: number
  readonly records: number
  /** By the envelopes. */
  readonly spans: number
  /** Merged entities among them. */
  readonly entities: number
  /** Of both: on spans.filled for the first time. */
  readonly published: number
  /** Published again with more attributes, of all that is on spans.filled. */
  readonly republished: number
  readonly deadLettered: number
  /** Of them: no longer among the dead letters. */
  readonly lettersGone: number
  /** Neither. */
  readonly missing: number
  /** By the ledger. */
  readonly unaccounted: number
}

/** A partition of which something is looked for by key: in tables that do not say where their rows came from, or of rows that do not. */
export interface KeyedReport {
  readonly topic: string
  readonly partition: number
  /** The offsets that were checked: [from, until). */
  readonly from: number
  readonly until: number
  /** Offsets that are not stored yet; 0 where the report of the partition's spans says it. */
  readonly waiting: number
  /** Spans, scores, run items and merged entities that were looked for. */
  readonly items: number
  /** Of them: merged entities. */
  readonly entities: number
  readonly deadLettered: number
  /** Of a trace, or project, that was deleted: gone. */
  readonly denied: number
  /** Not there, nor dead-lettered, nor denied. */
  readonly missing: number
}

export interface ConservationReport {
  readonly conserved: boolean
  /** Nothing waits: what was accepted until now is all in it. */
  readonly atRest: boolean
  readonly partitions: readonly PartitionReport[]
  readonly staged: readonly StagedReport[]
  /** Of the old tables, and of merged entities. */
  readonly keyed: readonly KeyedReport[]
  /** The first thousand. */
  readonly findings: readonly Finding[]
  /** Dead letters that this release cannot read. */
  readonly unreadableLetters: number
}

const maxFindings = 1000

/** Findings that follow each other become one range. */
export function createFindings() {
  const all: Finding[] = []
  let kept = true
  return {
    /** `unit`: where it is another than the topic's. */
    add({ unit, ...rest }: Omit<Finding, 'unit'> & Partial<Pick<Finding, 'unit'>>): void {
      const finding: Finding = { ...rest, unit: unit ?? unitOn(rest.topic) }
      const before = all.at(-1)
      if (before !== undefined && continues(before, finding)) {
        all[all.length - 1] = { ...before, last: finding.last, spans: before.spans + finding.spans }
      } else if (all.length < maxFindings) all.push(finding)
      else kept = false
    },
    list: (): readonly Finding[] => all,
    /** False when there were more than are listed. */
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
