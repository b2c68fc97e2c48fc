// The stored definition of an evaluator version: a prompt for a model, or code.
import { parseStoredJson } from '@svc-server/json'
import { storableJson } from '../tenancy/json.ts'
import type { RowOf } from '../tenancy/rows.ts'
import { type Mapping, readMappings } from './mapping.ts'

interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

type OutputDefinition = Readonly<Record<string, unknown>> & { readonly dataType: 'NUMERIC' | 'BOOLEAN' | 'CATEGORICAL' }

export interface JudgeDefinition {
  readonly type: 'llm_as_judge'
  readonly prompt: readonly Message[]
  readonly variables: readonly string[]
  readonly variableMapping: readonly Mapping[] | null
  /** Null if the evaluator uses the project's default model. */
  readonly modelConfig: { readonly provider: string; readonly model: string } | null
  readonly outputDefinition: OutputDefinition
}

interface CodeDefinition {
  readonly type: 'code'
  readonly sourceCode: string
  readonly sourceCodeLanguage: 'PYTHON' | 'TYPESCRIPT'
}

export type Definition = JudgeDefinition | CodeDefinition

type VersionRow = RowOf<'evaluator_versions'>

const isMessages = (value: unknown): value is readonly Message[] =>
  Array.isArray(value) && value.every(each => typeof each === 'object' && each !== null && 'role' in each && 'content' in each)

/** A prompt of v3 is a text and becomes one user message. */
function readPrompt(text: string | null): readonly Message[] {
  if (text === null) return []
  try {
    const messages = parseStoredJson(text)
    if (isMessages(messages)) return messages
  } catch {
    // A prompt of v3 is usually not JSON, so this function ignores the parser's error.
  }
  return [{ role: 'user', content: text }]
}

/** In v3, every evaluator's score is a number, and the output definition has only instructions for the score and for its reasoning. */
function readOutput(json: unknown): OutputDefinition {
  const stored = Object(json) as Readonly<Record<string, unknown>>
  if (typeof stored['dataType'] === 'string') return stored as OutputDefinition
  const { score, reasoning } = stored
  return {
    dataType: 'NUMERIC',
    ...(typeof reasoning === 'string' && { scoreReasoningInstructions: reasoning }),
    ...(typeof score === 'string' && { scoreValueInstructions: score }),
  }
}

export function readDefinition(row: VersionRow): Definition {
  if (row.source_code !== null)
    return {
      type: 'code',
      sourceCode: row.source_code,
      sourceCodeLanguage: row.source_code_language === 'PYTHON' ? 'PYTHON' : 'TYPESCRIPT',
    }
  return {
    type: 'llm_as_judge',
    prompt: readPrompt(row.prompt),
    variables: row.vars,
    variableMapping: readMappings(row.variable_mapping)?.filter((each): each is Mapping => !('mappingType' in each)) ?? null,
    modelConfig: row.provider === null || row.model === null ? null : { provider: row.provider, model: row.model },
    outputDefinition: readOutput(row.output_definition),
  }
}

export function definitionColumns(definition: Definition) {
  if (definition.type === 'code')
    return { source_code: definition.sourceCode, source_code_language: definition.sourceCodeLanguage, vars: [] as string[] }
  const { prompt, variables, variableMapping, modelConfig, outputDefinition } = definition
  return {
    prompt: JSON.stringify(prompt),
    vars: [...variables],
    variable_mapping: storableJson(variableMapping),
    provider: modelConfig?.provider ?? null,
    model: modelConfig?.model ?? null,
    output_definition: storableJson(outputDefinition),
  }
}
