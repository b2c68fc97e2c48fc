// The types of observations.

export const observationTypes = [
  'SPAN',
  'GENERATION',
  'EVENT',
  'EMBEDDING',
  'AGENT',
  'TOOL',
  'CHAIN',
  'RETRIEVER',
  'GUARDRAIL',
  'EVALUATOR',
] as const
export type ObservationType = (typeof observationTypes)[number]
