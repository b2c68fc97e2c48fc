// Turns a request's body into the definition of an evaluator (contract §18.8).
import type { EvaluatorOutputDefinition, UpdateLlmAsJudgeEvaluatorRequest } from '@svc-server/api/evaluators/types'
import type { PromptVariableMappingInput } from '@svc-server/api/shared/types'
import type { JudgeDefinition, Mapping } from '@svc-server/relational/evaluators'
import type { z } from 'zod'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'

type Given = Omit<z.output<typeof UpdateLlmAsJudgeEvaluatorRequest>, 'name' | 'description'>
type Path = readonly (string | number)[]

const refuse = (message: string, path: Path): never => {
  throw new InvalidBody(refused(message, path))
}

function variablesOf(prompt: JudgeDefinition['prompt']): readonly string[] {
  const names = prompt.flatMap(({ content }) => [...content.matchAll(/\{\{([^{}]+)\}\}/g)].map(match => match[1]!.trim()))
  return [...new Set(names.filter(name => name !== ''))]
}

function promptOf(given: Given['prompt']): JudgeDefinition['prompt'] {
  if (typeof given === 'string') return [{ role: 'user', content: given }]
  const late = given.findIndex(({ role }, at) => role === 'system' && at > 0)
  if (late > 0) refuse('Only the first message can be a system message.', ['prompt', late, 'role'])
  return given.map(({ role, content }) => ({ role, content }))
}

type MappingInput = z.output<typeof PromptVariableMappingInput>

/** Throws InvalidBody for an invalid path or a duplicate variable. */
export function mappingsOf(given: readonly MappingInput[], path: Path): readonly Mapping[] {
  const names = given.map(({ variable }) => variable)
  return given.map(({ variable, source, jsonPath }, at) => {
    if (names.indexOf(variable) < at) refuse('Is mapped twice.', [...path, at, 'variable'])
    if (jsonPath !== undefined && jsonPath !== null && !jsonPath.startsWith('$'))
      refuse('Expected a path that starts with $.', [...path, at, 'jsonPath'])
    return { variable, source, ...(typeof jsonPath === 'string' && { jsonPath }) }
  })
}

function outputOf(given: z.output<typeof EvaluatorOutputDefinition>): JudgeDefinition['outputDefinition'] {
  if (given.dataType === 'CATEGORICAL' && new Set(given.categories).size < given.categories.length)
    refuse('Two categories have the same name.', ['outputDefinition', 'categories'])
  if (given.dataType === 'NUMERIC' && (given.minValue ?? Number.NEGATIVE_INFINITY) > (given.maxValue ?? Number.POSITIVE_INFINITY))
    refuse('Is less than minValue.', ['outputDefinition', 'maxValue'])
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined)) as typeof given
}

/** Throws InvalidBody. */
export function judgeOf(given: Given): JudgeDefinition {
  const prompt = promptOf(given.prompt)
  const variables = variablesOf(prompt)
  const variableMapping = given.variableMapping ? mappingsOf(given.variableMapping, ['variableMapping']) : null
  const mapped = variableMapping?.map(({ variable }) => variable)
  const missing = mapped && variables.find(variable => !mapped.includes(variable))
  if (missing !== undefined) refuse(`No mapping fills the variable ${missing.slice(0, 100)}.`, ['variableMapping'])
  const surplus = mapped?.findIndex(variable => !variables.includes(variable)) ?? -1
  if (surplus >= 0) refuse('The prompt has no variable with this name.', ['variableMapping', surplus, 'variable'])
  return {
    ...{ type: given.type, prompt, variables, variableMapping },
    modelConfig: given.modelConfig ? { provider: given.modelConfig.provider, model: given.modelConfig.model } : null,
    outputDefinition: outputOf(given.outputDefinition),
  }
}
