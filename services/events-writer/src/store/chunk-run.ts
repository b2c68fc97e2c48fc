// The work on one chunk whose outcome is open: probe, insert what is missing, refill, cut what is refused; until nothing is left to do.
import { type ColumnStore, catchUp } from '@svc-server/column-store'
import { absentRows } from '@svc-server/conservation'
import { AppError } from '@svc-server/errors'
import { type EncodedChunk, type RowPlace, selectionOf } from '@svc-server/observations'
import type { Metrics } from '@svc-server/service/metrics'
import { isTransient } from '@svc-server/stream'
import type { writerMetrics } from '../metrics.ts'
import { cut, cutsOf, isSampled, noteOf, type Piece, wholeOf } from './pieces.ts'
import { eventsTables, notSeen, probe } from './probe.ts'
import { refillBatches, refillCore } from './refill.ts'
import type { Outcome, StoreRequest } from './store-chunk.ts'

export interface ChunkRunDeps {
  readonly columnStore: ColumnStore
  readonly metrics: Metrics<typeof writerMetrics>
  readonly insert: (block: EncodedChunk, token: string) => Promise<Outcome>
  readonly token: (table: string, hash: string, attempt: string) => string
  readonly request: StoreRequest
  /** Of the whole chunk's first token. */
  readonly label: string
  readonly othersPass: boolean
}

export interface RunResult {
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

/** `outcome`: of the whole chunk's insert in this run, if there was one. */
export function createChunkRun(deps: ChunkRunDeps): (places: readonly RowPlace[], outcome: Outcome | 'open') => Promise<RunResult> {
  const { columnStore, metrics, request, token } = deps
  const { backoff, encoded } = request

  return async (places, outcome) => {
    let refused: Try[] = []
    const cuts = cutsOf(request.rules, request.note)
    let taken = false

    const rowsOf = ({ rows }: Piece) => (rows.length === places.length ? places : rows.map(row => places[row]!))

    async function settle(piece: Try, known: Known): Promise<void> {
      if (cuts.has(piece.path) && piece.rows.length > 1) return settleParts(piece, 'open')
      const rows = rowsOf(piece)
      let block = piece.rows.length === places.length ? encoded : null
      let answered = known === 'answered'
      const insert = async () => {
        block ??= await request.encodeOnly(selectionOf(rows))
        return deps.insert(block, token('events_full', block.hash, labelOf(piece)))
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
        const { missing, unlisted } = await backoff.retry(() => probe(columnStore, rows))
        if (missing.length < rows.length) taken = true
        if (unlisted.length > 0) await refill(unlisted)
        if (missing.length === 0) return
        metrics.rowsReinserted.inc({ table: 'events_full' }, missing.length)
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

    /** Its token is burnt. One month at a time: a part is atomic, so that an insert is there or is not. */
    async function again(piece: Try, missing: readonly RowPlace[]): Promise<void> {
      await backoff.after(notSeen('events_full'))
      const lacking = new Set(missing)
      const rows = piece.rows.filter(row => lacking.has(places[row]!))
      const label = next(piece.label)
      for (const ofMonth of Map.groupBy(rows, row => places[row]!.month).values()) await settle({ ...piece, rows: ofMonth, label }, 'open')
    }

    async function refuse(piece: Try): Promise<void> {
      if (piece.rows.length === 1) {
        refused.push(piece)
        return
      }
      cuts.add(piece.path)
      await request.annotate(noteOf(request.rules, cuts))
      // What was refused may be there all the same, when it was the view behind the table that refused it.
      const rows = rowsOf(piece)
      const { missing } = await backoff.retry(() => probe(columnStore, rows))
      // Nobody inserts a part before the cut is noted. So in a run that began with the chunk its tokens are new.
      await settleParts(piece, request.beginning === 'new' && missing.length === rows.length ? 'untried' : 'open')
    }

    async function settleParts(piece: Try, known: Known): Promise<void> {
      const [first, second] = cut(piece)
      await settle({ ...first, label: '0' }, known)
      // When nothing of the chunk's sample is taken, trying the rest would end with all of it among the dead letters.
      if (isSampled(piece) && !taken) throw allRefused()
      await settle({ ...second, label: '0' }, known)
    }

    async function refill(rows: readonly RowPlace[]): Promise<void> {
      metrics.rowsReinserted.inc({ table: 'events_core' }, rows.length)
      for (let attempt = 0; rows.length > 0; attempt++) {
        for (const batch of refillBatches(rows)) {
          await backoff.retry(() => refillCore(columnStore, batch, token('events_core', batch.hash, String(attempt))))
        }
        rows = await backoff.retry(async () => {
          await catchUp(columnStore, eventsTables)
          const absent = await absentRows(columnStore, 'events_core', rows)
          return absent.map(at => rows[at]!)
        })
        if (rows.length > 0) await backoff.after(notSeen('events_core'))
      }
    }

    const whole = { ...wholeOf(places.length), label: deps.label }
    if (outcome === 'refused') await refuse(whole)
    else await settle(whole, outcome === 'open' ? 'open' : 'answered')
    if (refused.length > 0 && !taken && !deps.othersPass) throw allRefused()
    // What refused the first of them may have been mended when the others were taken.
    const tried = refused
    refused = []
    for (const piece of tried) await settle(piece, 'open')
    return { refused: refused.flatMap(rowsOf), onOthers: refused.length > 0 && !taken }
  }
}

/** Pieces of one chunk are told apart by their bodies' hash, too; the path is for who reads tokens. */
const labelOf = ({ path, label }: Try): string => (path === '' ? label : `${path}/${label}`)

/** 0, 1, 2 … ; of rules that changed 0-rules, 1-rules … */
const next = (label: string): string => label.replace(/^\d+/, number => String(Number(number) + 1))

const allRefused = () =>
  new AppError('column_store_refused', 'the column store refused every row that was tried of a chunk, together and alone')
