export { decoded, encode64, listHash } from '../newest/cursor.ts'
export { createScoreReader, type ScoreKey, type ScoreReader, type ScoreRow } from './read.ts'
export { streamScores } from './stream.ts'
export { scoreView } from './view.ts'
