// All dialects and their combined rules, sorted by rank. To add a dialect, add a folder and a line in the list.
import type { AttributeSubject, Dialect, Ranked } from '../rules/dialect.ts'
import type { AttributeRule } from '../rules/rules.ts'
import type { Vocabulary } from '../span-view/vocabulary.ts'
import { flue } from './flue/dialect.ts'
import { genAi } from './gen-ai/dialect.ts'
import { genkit } from './genkit/dialect.ts'
import { googleAdk } from './google-adk/dialect.ts'
import { livekit } from './livekit/dialect.ts'
import { logfire } from './logfire/dialect.ts'
import { mlflow } from './mlflow/dialect.ts'
import { openInference } from './openinference/dialect.ts'
import { openRouter } from './openrouter/dialect.ts'
import { openTelemetry } from './opentelemetry/dialect.ts'
import { pydanticAi } from './pydantic-ai/dialect.ts'
import { semanticKernel } from './semantic-kernel/dialect.ts'
import { svc } from './svc/dialect.ts'
import { traceloop } from './traceloop/dialect.ts'
import { vercelAi } from './vercel-ai/dialect.ts'

/**
 * The order matters: if attributes of two dialects result in the same name in the user's metadata, the value of the dialect that is listed
 * first is used.
 */
export const dialects: readonly Dialect[] = [
  svc,
  vercelAi,
  genAi,
  openInference,
  openTelemetry,
  genkit,
  flue,
  semanticKernel,
  googleAdk,
  logfire,
  livekit,
  mlflow,
  traceloop,
  pydanticAi,
  openRouter,
]

export const vocabulary: Vocabulary = {
  prefixes: dialects.flatMap(dialect => dialect.vocabulary?.prefixes ?? []),
  patterns: dialects.flatMap(dialect => dialect.vocabulary?.patterns ?? []),
  also: dialects.flatMap(dialect => dialect.vocabulary?.also ?? []),
}

type Subject = Exclude<keyof Dialect, 'name' | 'keys' | 'vocabulary' | 'attributes'>
type RuleOf<S extends Subject> = NonNullable<Dialect[S]> extends readonly Ranked<infer Rule>[] ? Rule : never

/** Creates a new list at each call, so call this function only once, at startup. */
export const rulesOf = <S extends Subject>(subject: S): readonly RuleOf<S>[] =>
  inOrder(dialects.flatMap(dialect => (dialect[subject] ?? []) as readonly Ranked<RuleOf<S>>[]))

export const attributesOf = (subject: AttributeSubject): readonly AttributeRule[] =>
  inOrder(dialects.flatMap(dialect => dialect.attributes?.[subject] ?? []))

const inOrder = <T>(ranked: readonly Ranked<T>[]): readonly T[] => [...ranked].sort(([a], [b]) => a - b).map(([, rule]) => rule)
