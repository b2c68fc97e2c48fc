// Cuts a chunk that the column store refuses into two pieces, and cuts refused pieces of several rows again. The cuts are always the same.
// If another writer takes over the partition and repeats the chunk, it sends the same blocks under the same tokens. No side effects.

export interface Piece {
  /** The cuts that made this piece: for each cut, a 0 for the first part or a 1 for the second part. Empty for the whole chunk. */
  readonly path: string
  /** Positions of rows, ascending. */
  readonly rows: readonly number[]
}

/**
 * Number of rows in the sample. The sample has rows from all parts of the chunk, and is inserted before the chunk's other rows. If the
 * store accepts no row of the sample, the refusal is not caused by a single row.
 */
const sampleRows = 16

export const wholeOf = (rows: number): Piece => ({ path: '', rows: Array.from({ length: rows }, (_, row) => row) })

export const isSampled = ({ path, rows }: Piece): boolean => path === '' && rows.length > sampleRows

/** Cuts a whole chunk into a sample and the other rows. Cuts any other piece into halves. */
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
 * Returns a note that contains the version of the rules and the paths of refused pieces. If not all paths fit into the note, a retry finds
 * the remaining refused pieces again.
 */
export function noteOf(rules: string, refused: ReadonlySet<string>, maxLength = defaultMaxLength): string {
  let note = rules
  for (const path of refused) {
    // A half can be refused only after its whole piece was refused. A note that has the path of a half therefore does not need the path of
    // the whole piece.
    if (refused.has(`${path}0`) || refused.has(`${path}1`)) continue
    const more = `,${path || rootName}`
    if (note.length + more.length > maxLength) break
    note += more
  }
  return note
}

/** Returns the version of the rules under which the note was written, or an empty text if there is no note. */
export const rulesOfNote = (note: string): string => note.split(',', 1)[0]!

/**
 * Returns the paths of refused pieces, and of all pieces that contain a refused piece. The writer must divide these pieces before it
 * retries them.
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
