// Masks inputs, outputs and metadata before they leave the process. A value for which the mask function fails must not leave the process.
import type { Attributes, AttributeValue } from '@opentelemetry/api'
import { getGlobalLogger, serializeMetadataValue, serializeValue } from '@svc/core'

/**
 * The function receives an input or output as text, or a metadata value in decoded form. The function returns the replacement, or a promise
 * of it.
 */
export type MaskFunction = (params: { data: unknown }) => unknown

const textKeys = ['svc.observation.input', 'svc.observation.output', 'svc.trace.input', 'svc.trace.output']
const metadataKey = 'svc.observation.metadata'
const failed = '<fully masked due to failed mask function>'

const isMetadata = (key: string): boolean => key === metadataKey || key.startsWith(`${metadataKey}.`)

async function masked(mask: MaskFunction, data: unknown): Promise<unknown> {
  try {
    return await mask({ data })
  } catch (error) {
    getGlobalLogger().warn('The mask function failed. A placeholder replaces the whole value.', error)
    return failed
  }
}

function decoded(text: AttributeValue): { readonly value: unknown; readonly isJson: boolean } {
  if (typeof text !== 'string') return { value: text, isJson: false }
  try {
    return { value: JSON.parse(text), isJson: true }
  } catch {
    // The value is not JSON, because another instrumentation has set it.
    return { value: text, isJson: false }
  }
}

async function maskedMetadata(mask: MaskFunction, text: AttributeValue): Promise<string | undefined> {
  const { value, isJson } = decoded(text)
  const result = await masked(mask, value)
  return !isJson && typeof result === 'string' ? result : serializeMetadataValue(result)
}

/** Removes a value if its mask returns null or undefined. */
export async function maskAttributes(attributes: Attributes, mask: MaskFunction): Promise<void> {
  for (const key of Object.keys(attributes)) {
    const given = attributes[key]
    if (given === undefined) continue
    let result: string | undefined
    if (isMetadata(key)) result = await maskedMetadata(mask, given)
    else if (textKeys.includes(key)) result = serializeValue(await masked(mask, given))
    else continue
    if (result === undefined) delete attributes[key]
    else attributes[key] = result
  }
}
