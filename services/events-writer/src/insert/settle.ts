// Settles a block with an open outcome: probe, insert what is missing, refill, cut what is refused, until nothing is left to do.
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
  /** Of the whole chunk. */
  readonly block: EncodedRows
  /** Of the whole block's first token. */
  readonly label: string
  /** Other chunks of this table were stored of late. */
  readonly othersPass: boolean
}

export interface Settled {
  /** Rows that were refused alone. */
  readonly refused: readonly RowPlace[]
  /** No row of the chunk was taken: that others are, other chunks say. */
  readonly onOthers: boolean
}

/**
 * `untried`: nobody can have sent it and none of its rows is there, so that an answer of the same engine is to be trusted. `answered`: its last try was,
 * so that its token is burnt if its rows are not there.
 */
type Known = 'untried' | 'open' | 'answered'

interface Try extends Piece {
  readonly label: string
}

/** `outcome`: of the whole block's insert just now, if there was one. Rejects with an AppError that leaves the outcome open. */
export async function settle(deps: SettleDeps, outcome: Outcome | 'open'): Promise<Settled> {
  const { columnStore, metrics, attempts, token, encoded, block: wholeBlock } = deps
  const { chunk, destination, beginning, rules, note, maxNoteLength, backoff, annotate } = encoded.delivery
  const places = await encoded.places()
  /** Rows of which a probe may have found an older one in place, from before the chunk or from one that was cut otherwise. */
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
      // What is tied is not proved by a probe: until its block is answered it may still come, and would then be behind what comes next.
      if (missing.length === 0 && (answered || !piece.rows.some(row => tied.has(row)))) return
      metrics.rowsReinserted.inc({ table: destination.table }, missing.length)
      if (answered) return again(piece, missing)
      // Until a try is answered the same block goes again under the same token: one that is still running cannot be stored twice then.
      try {
        if ((await insert()) === 'refused') return refuse(piece)
        answered = true
      } catch (error) {
        if (!isTransient(error)) throw error
        await backoff.after(error)
      }
    }
  }

  /** Its token is burnt. One partition at a time: a part is atomic, so that an insert is there or is not. */
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
    // What was refused may be there all the same, when it was the view behind the table that refused it.
    const rows = rowsOf(piece)
    const { missing } = await probed(rows)
    // Nobody inserts a part before the cut is noted. So in a run that began with the chunk its tokens are new.
    await settleParts(piece, beginning === 'new' && missing.length === rows.length ? 'untried' : 'open')
  }

  async function settleParts(piece: Try, known: Known): Promise<void> {
    const [first, second] = cut(piece)
    await settlePiece({ ...first, label: '0' }, known)
    // When nothing of the chunk's sample is taken, trying the rest would end with all of it among the dead letters.
    if (isSampled(piece) && !taken) throw allRefused()
    await settlePiece({ ...second, label: '0' }, known)
  }

  const whole = { ...wholeOf(places.length), label: deps.label }
  if (outcome === 'refused') await refuse(whole)
  else await settlePiece(whole, outcome === 'open' ? 'open' : 'answered')
  if (refused.length > 0 && !taken && !deps.othersPass) throw allRefused()
  // What refused the first of them may have been mended when the others were taken.
  const tried = refused
  refused = []
  for (const piece of tried) await settlePiece(piece, 'open')
  const refusedRows = new Set(refused.flatMap(rowsOf))
  // Pieces are not inserted in the order of their rows.
  const last = destination.provenance !== null && cuts.size > 0 ? lastOfTies(places, []) : tied
  const lastRows = [...last].map(row => places[row]!).filter(place => !refusedRows.has(place))
  return { refused: [...refusedRows, ...(await insertLast(deps, lastRows))], onOthers: refused.length > 0 && !taken }
}

/** Pieces of one chunk are told apart by their bodies' hash, too; the path is for who reads tokens. */
const labelOf = ({ path, label }: Try): string => (path === '' ? label : `${path}/${label}`)

/** 0, 1, 2 … ; of rules that changed 0-rules, 1-rules … */
const next = (label: string): string => label.replace(/^\d+/, number => String(Number(number) + 1))

const allRefused = () =>
  new AppError('column_store_refused', 'the column store refused every row that was tried of a chunk, together and alone')
