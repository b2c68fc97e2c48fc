// Parses a trace and builds its model in a worker, because parsing 100,000 rows would block the page.

import { buildModel } from './model/build.ts'
import type { TraceModel, WireTree } from './model/model.ts'
import { type OldTrace, treeOfOld } from './old/old-tree.ts'

export interface TreeRequest {
  readonly url: string
  readonly notHere: string
  readonly isOld: boolean
}

export type TreeResponse =
  | { readonly model: TraceModel; readonly completeUntil: string | null }
  | { readonly status: number; readonly message: string; readonly requestId: string | undefined }

async function answer({ url, notHere, isOld }: TreeRequest): Promise<TreeResponse> {
  const response = await fetch(url, { credentials: 'same-origin', headers: { accept: 'application/json' } })
  const requestId = response.headers.get('x-request-id') ?? undefined
  const text = await response.text()
  if (!response.ok) return { status: response.status, message: messageOf(text) ?? `The server responded ${response.status}.`, requestId }
  const wire = isOld ? treeOfOld(JSON.parse(text) as OldTrace) : (JSON.parse(text) as WireTree)
  const { path: _, ...model } = buildModel(wire, notHere)
  return { model, completeUntil: response.headers.get('x-svc-complete-until') }
}

function messageOf(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : undefined
  } catch {
    return undefined
  }
}

const buffersOf = (value: unknown): readonly ArrayBuffer[] => {
  if (ArrayBuffer.isView(value)) return value.buffer instanceof ArrayBuffer ? [value.buffer] : []
  if (typeof value !== 'object' || value === null || value instanceof Map || Array.isArray(value)) return []
  return Object.values(value).flatMap(buffersOf)
}

addEventListener('message', ({ data }: MessageEvent<TreeRequest>) => {
  answer(data).then(
    response => postMessage(response, { transfer: [...new Set(buffersOf(response))] }),
    (error: unknown) => postMessage({ status: 0, message: error instanceof Error ? error.message : String(error), requestId: undefined }),
  )
})
