// Settles a block whose rows may or may not be stored. The function looks up the rows (probes), inserts missing rows, refills the dependent
// table, and cuts refused pieces, until every row is stored or refused.
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import type { Metrics } from '@svc-server/service/metrics'
import { isTransient } from '@svc-server/stream/backoff'
import { type EncodedRows, type RowPlace, selectionOf } from '../destinations/row-encoder.ts'
import type { Encoded } from '../encoded.ts'
import type { writerMetrics } from '../metrics.ts'
import type { Attempts, Outcome } from './attempt.ts'
import { insertLast } from './insert-last.ts'
import { partitionsOf } from './partitions.ts'
import { cut, cutsOf, isSampled, noteOf, type Piece, wholeOf } from './pieces.ts'
import { notSeen, probe } from './probe.ts'
import { refill } from './refill.ts'
import { lastOfTies } from './ties.ts'
import type { TokenOf } from './token.ts'

export interface SettleDeps {
  readonly columnStore: ColumnStore
  readonly metrics: Metrics<typeof writerMetrics>
  readonly attempts: Attempts
  readonly token: TokenOf
  readonly encoded: Encoded
  readonly block: EncodedRows
  /** Label of the first insert, which contains the whole block. The token of each insert contains the label of this insert. */
  readonly label: string
  /** True if the table stored at least one row of the previous chunk that had rows for this table. */
  readonly othersPass: boolean
}

export interface Settled {
  readonly refused: readonly RowPlace[]
  /** True if the column store recently accepted other chunks, but no row of this chunk. */
  readonly onOthers: boolean
}

/**
 * What is known about the last attempt to store a piece. With `untried`, no process has sent the piece. If the first insert of an untried
 * piece succeeds, and the engine did not restart meanwhile, the rows are stored, and no probe is necessary. With `open`, a process may have
 * sent the piece, but the result is unknown. With `answered`, the engine responded to an attempt. If a probe then finds that rows are
 * missing, the next attempt needs a new token.
 */
type Known = 'untried' | 'open' | 'answered'

interface Try extends Piece {
  readonly label: string
}

/**
 * `outcome` is the result of the insert of the whole block, or `open` if this result is unknown. Rejects with an AppError if the function
 * cannot find out which rows are stored. Also rejects if the column store refused every row that was tried. If `othersPass` is true, this
 * second rule applies only if the tried rows are a sample of the chunk.
 */
export async function settle(deps: SettleDeps, outcome: Outcome | 'open'): Promise<Settled> {
  const { columnStore, metrics, attempts, token, encoded, block: wholeBlock } = deps
  const { chunk, destination, beginning, rules, note, maxNoteLength, backoff, annotate } = encoded.delivery
  const places = await encoded.places()
  /** Indexes of the last row of each tie (rows with the same key and version). A lookup could mistake an earlier row for the last row. */
  const tied = destination.provenance === null ? lastOfTies(places, await backoff.retry(() => encoded.placesBefore())) : new Set<number>()
  const cuts = cutsOf(rules, note)
  let refused: Try[] = []
  let taken = false

  const rowsOf = ({ rows }: Piece) => (rows.length === places.length ? places : rows.map(row => places[row]!))
  const probed = (rows: readonly RowPlace[]) => backoff.retry(() => probe({ columnStore, destination, chunk }, rows))

  async function settlePiece(piece: Try, known: Known): Promise<void> {
    if (cuts.has(piece.path) && piece.rows.length > 1) return settleParts(piece, 'open')
    const rows = rowsOf(piece)
    let block = piece.rows.length === places.length ? wholeBlock : null
    let answered = known === 'answered'
    async function insert(): Promise<Outcome> {
      block ??= await encoded.only(selectionOf(rows))
      return attempts.insert(destination.table, block, token(destination.table, block.hash, labelOf(piece)))
    }
    if (known === 'untried') {
      const outcome = await insert().catch(async error => {
        if (!isTransient(error)) throw error
        await backoff.after(error)
        return 'open' as const
      })
      if (outcome === 'refused') return refuse(piece)
      if (outcome === 'stored') {
        taken = true
        return
      }
      answered = outcome === 'answered'
    }
    for (;;) {
      const { missing, unlisted } = await probed(rows)
      if (missing.length < rows.length) taken = true
      if (unlisted.length > 0) await refill({ columnStore, metrics, destination, chunk, token, backoff }, unlisted)
      // A probe cannot prove that a tied row (same key and version as another row) is stored. An insert without a response can still be
      // running, and store its tied rows later than the rows that should win. The late rows would then win, because the tied row that was
      // inserted last wins. If the piece has a tied row, the loop therefore ends only after the engine has responded to an insert.
      if (missing.length === 0 && (answered || !piece.rows.some(row => tied.has(row)))) return
      metrics.rowsReinserted.inc({ table: destination.table }, missing.length)
      if (answered) return again(piece, missing)
      // Until the engine responds to an insert, the token stays the same, so that an insert that is still running cannot cause duplicate
      // rows.
      try {
        if ((await insert()) === 'refused') return refuse(piece)
        answered = true
      } catch (error) {
        if (!isTransient(error)) throw error
        await backoff.after(error)
      }
    }
  }

  /** Sends missing rows under a new token. Each insert covers only one partition of the table, so the insert is atomic. */
  async function again(piece: Try, missing: readonly RowPlace[]): Promise<void> {
    await backoff.after(notSeen(destination.table))
    const lacking = new Set(missing)
    const label = next(piece.label)
    const rows = piece.rows.filter(row => lacking.has(places[row]!))
    for (const inOne of partitionsOf(destination, rows, row => places[row]!)) await settlePiece({ ...piece, rows: inOne, label }, 'open')
  }

  async function refuse(piece: Try): Promise<void> {
    if (piece.rows.length === 1) {
      refused.push(piece)
      return
    }
    cuts.add(piece.path)
    await annotate(noteOf(rules, cuts, maxNoteLength))
    // Probes the rows first. If only the view refused the block, the table itself may have stored the rows.
    const rows = rowsOf(piece)
    const { missing } = await probed(rows)
    // A process inserts a piece only after the intent has recorded that the block was cut into pieces. Before this attempt, a new chunk had
    // no intent, so no process has inserted its pieces yet.
    await settleParts(piece, beginning === 'new' && missing.length === rows.length ? 'untried' : 'open')
  }

  async function settleParts(piece: Try, known: Known): Promise<void> {
    const [first, second] = cut(piece)
    await settlePiece({ ...first, label: '0' }, known)
    // If the column store accepts no row of the sample, a single row is not the cause of the refusals. Trying the other rows would then
    // dead-letter all rows.
    if (isSampled(piece) && !taken) throw allRefused()
    await settlePiece({ ...second, label: '0' }, known)
  }

  const whole = { ...wholeOf(places.length), label: deps.label }
  if (outcome === 'refused') await refuse(whole)
  else await settlePiece(whole, outcome === 'open' ? 'open' : 'answered')
  if (refused.length > 0 && !taken && !deps.othersPass) throw allRefused()
  // Inserts the refused pieces a second time, because the cause of the refusals may no longer exist.
  const tried = refused
  refused = []
  for (const piece of tried) await settlePiece(piece, 'open')
  const refusedRows = new Set(refused.flatMap(rowsOf))
  // The pieces of a chunk are not inserted in the order of their rows. If several rows have the same version, the last of these rows must
  // also be inserted last. The last row is therefore inserted again at the end.
  const last = destination.provenance !== null && cuts.size > 0 ? lastOfTies(places, []) : tied
  const lastRows = [...last].map(row => places[row]!).filter(place => !refusedRows.has(place))
  return { refused: [...refusedRows, ...(await insertLast(deps, lastRows))], onOthers: refused.length > 0 && !taken }
}

/** The hash of the body already makes the token unique. The path only helps people who read the token. */
const labelOf = ({ path, label }: Try): string => (path === '' ? label : `${path}/${label}`)

/** Returns the label that follows `label`. The labels of inserts are 0, 1, 2 …, or 0-rules, 1-rules … if the rules have changed. */
const next = (label: string): string => label.replace(/^\d+/, number => String(Number(number) + 1))

const allRefused = () =>
  new AppError('column_store_refused', 'the column store refused every row of a chunk that was tried, both in one insert and one by one')
