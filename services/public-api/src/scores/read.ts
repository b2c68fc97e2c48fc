// Scores from the column store: who reads them here.
export { createScoreReader, type ScoreKey, type ScoreReader } from '@svc-server/query/scores'
