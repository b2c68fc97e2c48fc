// Sentences for error messages. Each sentence names the replacement of legacy routes (contract §4.5).
export const replacements = {
  observations: 'Use the Observations API v2, GET /api/public/v2/observations',
  scores: 'Use the Scores API v3, GET /api/public/v3/scores',
  metrics: 'Use the Metrics API v2, GET /api/public/v2/metrics',
  experiments: 'Use the experiments API, GET /api/public/experiments and GET /api/public/experiment-items',
  deletedRuns: 'Use DELETE /api/public/traces with the traces of the run, which GET /api/public/experiment-items names',
} as const
