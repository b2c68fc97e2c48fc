// Finds media in AI SDK messages. Such a message contains a file as bare base64 inside JSON, with the media type in a separate field.
import type { Attributes } from '@opentelemetry/api'
import { base64ToBytes, getGlobalLogger, SvcMedia } from '@svc/core'

export interface AiSdkContents {
  readonly key: string
  readonly text: string
  readonly field: 'input' | 'output'
  /**
   * The files that the attribute contains. Each key is the encoded text of one file, for example base64, exactly as this text stands in
   * the attribute.
   */
  readonly contents: ReadonlyMap<string, SvcMedia>
}

type Part = Readonly<Record<string, unknown>>

interface Shape {
  readonly field: 'input' | 'output'
  contentOf(part: Part): readonly [content: unknown, type: unknown]
}

const file: Shape = {
  field: 'input',
  contentOf: part => {
    const content = part['data'] ?? part['image']
    return part['type'] === 'file' && !String(content).startsWith('http') ? [content, part['mediaType']] : [undefined, undefined]
  },
}
const contentOfBlob = (part: Part): readonly [unknown, unknown] =>
  part['type'] === 'blob' ? [part['content'], part['mime_type']] : [undefined, undefined]

const shapes: Readonly<Record<string, Shape>> = {
  'ai.prompt.messages': file,
  'ai.prompt': file,
  'gen_ai.input.messages': { field: 'input', contentOf: contentOfBlob },
  'gen_ai.output.messages': { field: 'output', contentOf: contentOfBlob },
}

/** Outer objects first. */
function* objectsIn(value: unknown): Generator<Part> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Part
  for (const each of Object.values(value)) yield* objectsIn(each)
}

function mediaOf(content: string, contentType: string): SvcMedia | undefined {
  try {
    const base64 = content.startsWith('data:') ? content.slice(content.indexOf(',') + 1) : content
    return new SvcMedia({ source: 'bytes', contentBytes: base64ToBytes(base64), contentType })
  } catch {
    return undefined
  }
}

/** An unparsable attribute stays unchanged, and a warning is logged. */
export function aiSdkContents(attributes: Attributes): AiSdkContents[] {
  const found: AiSdkContents[] = []
  for (const [key, { field, contentOf }] of Object.entries(shapes)) {
    const text = attributes[key]
    if (typeof text !== 'string') continue
    let messages: unknown
    try {
      messages = JSON.parse(text)
    } catch {
      getGlobalLogger().warn(`${key} is not searched for media, because it is not JSON.`)
      continue
    }
    const contents = new Map<string, SvcMedia>()
    for (const part of objectsIn(messages)) {
      const [content, type] = contentOf(part)
      if (typeof content !== 'string' || typeof type !== 'string' || content === '') continue
      const media = mediaOf(content, type)
      if (media) contents.set(content, media)
    }
    if (contents.size > 0) found.push({ key, text, field, contents })
  }
  return found
}
