// Cuts a chunk that the column store refuses into halves. The cuts are always the same, so that a later owner sends the same blocks under
// the same tokens. Pure.

export interface Piece {
  /** Position of a piece in the tree of halves: empty for the whole chunk; for each cut, a 0 for the first half or a 1 for the second. */
  readonly path: string
  /** Positions of rows, ascending. */
  readonly rows: readonly number[]
}

/**
 * Number of rows in the sample that the writer inserts before the halves of the chunk. The sample takes rows from all parts of the chunk.
 * If the column store accepts no row of the sample, the cause is not a single row.
 */
const sampleRows = 16

export const wholeOf = (rows: number): Piece => ({ path: '', rows: Array.from({ length: rows }, (_, row) => row) })

export const isSampled = ({ path, rows }: Piece): boolean => path === '' && rows.length > sampleRows

/** Cuts a piece of at least two rows. The chunk is cut into a sample and the other rows; any other piece is cut into halves. */
export function cut(piece: Piece): readonly [Piece, Piece] {
  const [first, second] = isSampled(piece) ? sampled(piece.rows) : halves(piece.rows)
  return [
    { path: `${piece.path}0`, rows: first },
    { path: `${piece.path}1`, rows: second },
  ]
}

function halves(rows: readonly number[]): readonly [readonly number[], readonly number[]] {
  const middle = Math.ceil(rows.length / 2)
  return [rows.slice(0, middle), rows.slice(middle)]
}

function sampled(rows: readonly number[]): readonly [readonly number[], readonly number[]] {
  const sample = new Set(Array.from({ length: sampleRows }, (_, at) => Math.floor((at * rows.length) / sampleRows)))
  return [rows.filter((_, at) => sample.has(at)), rows.filter((_, at) => !sample.has(at))]
}

const rootName = '.'
const defaultMaxLength = 1_500

/**
 * Describes in an intent which pieces were refused and cut under the given rules. If a cut does not fit into the note, a retry repeats the
 * attempt that led to the cut.
 */
export function noteOf(rules: string, refused: ReadonlySet<string>, maxLength = defaultMaxLength): string {
  let note = rules
  for (const path of refused) {
    // A cut half implies that the piece itself was cut, too.
    if (refused.has(`${path}0`) || refused.has(`${path}1`)) continue
    const more = `,${path || rootName}`
    if (note.length + more.length > maxLength) break
    note += more
  }
  return note
}

/** The rules under which a note was written; empty if there is no note. */
export const rulesOfNote = (note: string): string => note.split(',', 1)[0]!

/**
 * Paths of the refused pieces, which must not be retried as a whole. Returns an empty set if the note was written under different rules.
 */
export function cutsOf(rules: string, note: string): Set<string> {
  const [writtenUnder, ...paths] = note.split(',')
  const refused = new Set<string>()
  if (writtenUnder !== rules) return refused
  for (const path of paths) {
    const known = path === rootName ? '' : path
    for (let length = 0; length <= known.length; length++) refused.add(known.slice(0, length))
  }
  return refused
}
