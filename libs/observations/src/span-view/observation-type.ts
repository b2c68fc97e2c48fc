// What kinds of observation there are.

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
