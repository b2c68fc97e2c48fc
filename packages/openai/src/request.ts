// Converts a call's request to attributes of its generation.
import type { SvcGenerationAttributes } from '@svc/tracing'
import type { SvcConfig } from './config.ts'
import { type Fields, fieldsOf, isObject, pick, textOf } from './values.ts'

export type ModelParameters = NonNullable<SvcGenerationAttributes['modelParameters']>

const parameterNames: readonly string[] = [
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'n',
  'presence_penalty',
  'reasoning_effort',
  'seed',
  'stop',
  'stream',
  'temperature',
  'top_p',
  'user',
  'response_format',
  'top_logprobs',
  'verbosity',
  'service_tier',
  'dimensions',
  'encoding_format',
]

const beside: readonly string[] = ['functions', 'function_call', 'tools', 'tool_choice']

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

function inputOf(request: Fields): unknown {
  if (request['messages']) return { messages: request['messages'], ...pick(request, beside, isGiven) }
  return request['input'] ?? request['prompt']
}

function parametersOf(request: Fields): ModelParameters {
  const parameters = pick(request, parameterNames, isGiven)
  // The format can contain a long schema. It is therefore recorded in the metadata instead of the parameters.
  if ('response_format' in parameters) parameters['response_format'] = ''
  return parameters as ModelParameters
}

/** The request is the first object in the arguments, because some methods take an id before the request. */
function requestOf(args: readonly unknown[]): Fields {
  return fieldsOf(args.slice(0, 2).find(isObject))
}

export interface RequestAttributes extends SvcGenerationAttributes {
  readonly modelParameters: ModelParameters
}

export function requestAttributes(args: readonly unknown[], { generationMetadata, svcPrompt }: SvcConfig): RequestAttributes {
  const request = requestOf(args)
  const format = pick(request, ['response_format'], isGiven)
  return {
    model: textOf(request['model']),
    input: inputOf(request),
    modelParameters: parametersOf(request),
    metadata: isObject(generationMetadata) || generationMetadata === undefined ? { ...generationMetadata, ...format } : generationMetadata,
    prompt: svcPrompt,
  }
}
