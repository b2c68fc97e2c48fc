// POST /api/public/mcp: the streamable HTTP transport of the Model Context Protocol, without sessions. Any replica can serve a request.
// Responses are JSON. A request for a stream of events gets 405, which the protocol allows.
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  GetPromptRequestSchema,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  ListPromptsRequestSchema,
  ListToolsRequestSchema,
  McpError,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import * as mcp from '@svc-server/api/mcp/operations'
import { AppError } from '@svc-server/errors'
import { createFairPlaces } from '@svc-server/fairness/places'
import { inProject } from '@svc-server/relational/tenancy'
import { decodeQuery } from '../../request/decode.ts'
import type { Dependencies } from '../../request/dependencies.ts'
import { closedBy } from '../../request/gate.ts'
import { type Handler, handle, JsonText, type Reply, type RequestOf, reply } from '../../request/handler.ts'
import { errorAnswer, isRefusal } from '../../request/respond.ts'
import { decodeWith } from '../../validation/decode-with.ts'
import { InvalidBody } from '../../validation/invalid-body.ts'
import { refused } from '../../validation/refusals.ts'
import { getMcpPrompt, listMcpPrompts } from './prompts.ts'
import { requestOf, type Tool, toolsOf } from './tools.ts'

type McpRequest = RequestOf<typeof mcp.exchange>
type AnyRequest = RequestOf<Handler['operation']>

/** Slots for reads of the column store by MCP clients. Other reads have separate slots. */
const slots = { places: 2, mostOfOne: 1, mostWaiting: 50 }

const textResult = (text: string, isError = false): CallToolResult => ({ content: [{ type: 'text', text }], ...(isError && { isError }) })
const replyText = ({ body }: Reply): string => (body instanceof JsonText ? String(body.text) : JSON.stringify(body ?? null))

async function answersOf(server: Server, messages: readonly JSONRPCMessage[]): Promise<readonly JSONRPCMessage[]> {
  const expected = messages.filter(message => 'id' in message && 'method' in message).length
  const answers: JSONRPCMessage[] = []
  let done: () => void = () => {}
  const complete = new Promise<void>(resolve => {
    done = resolve
  })
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    async send(message) {
      if (answers.push(message) === expected) done()
    },
  }
  await server.connect(transport)
  for (const message of messages) transport.onmessage?.(message)
  if (expected > 0) await complete
  await server.close()
  return answers
}

/**
 * True for the cancellation of a request. The exchange does not pass cancellations to the MCP server: the server would send no response to
 * the canceled request, and the exchange would wait for this response forever.
 */
const isCancellation = (message: JSONRPCMessage) => 'method' in message && message.method === 'notifications/cancelled'

/** Throws AppError for an unsupported version. Clients of the protocol's first versions do not send the header `MCP-Protocol-Version`. */
function requireVersion(version: string | undefined): void {
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return
  throw new AppError(
    'bad_request',
    `MCP-Protocol-Version ${version.slice(0, 100)} is not supported. Send one of: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`,
  )
}

function messagesIn(body: unknown): readonly JSONRPCMessage[] {
  const messages = [body].flat().map(each => {
    const parsed = JSONRPCMessageSchema.safeParse(each)
    if (parsed.success) return parsed.data
    throw new InvalidBody(refused('Expected a message of JSON-RPC 2.0.', []))
  })
  return messages.filter(message => !isCancellation(message))
}

export function mcpOver(handlers: readonly Handler[]): Handler {
  const tools = toolsOf(handlers)
  const reads = createFairPlaces(slots)

  async function call(
    { handler }: Tool,
    given: Readonly<Record<string, unknown>>,
    request: McpRequest,
    deps: Dependencies,
  ): Promise<CallToolResult> {
    const { operation } = handler
    try {
      request.countRequest(operation)
      const { path, search } = requestOf(operation, given)
      const [params, query] = [decodeWith(operation.params, path), decodeQuery(operation.query, search)]
      const own = Object.assign(Object.create(request), { params, query, body: undefined }) as AnyRequest
      const run = async () => handler.run(own, deps)
      return textResult(replyText(await (handler.queue === undefined ? run() : reads.run(request.project.projectId, run))))
    } catch (error) {
      if (!isRefusal(error)) throw error
      return textResult(String(errorAnswer(error, operation.family).body), true)
    }
  }

  return handle(mcp.exchange, async (request, deps) => {
    requireVersion(request.mcpVersion)
    let defect: { readonly error: unknown } | undefined
    /**
     * If the client caused an error, the client gets the message of the error. If a defect of the server caused the error, the request
     * fails, and the client gets no details.
     */
    const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work()
      } catch (error) {
        if (error instanceof McpError) throw error
        if (isRefusal(error)) throw new McpError(ErrorCode.InvalidParams, error.message)
        defect ??= { error }
        throw new McpError(ErrorCode.InternalError, 'The request failed.')
      }
    }
    const open = tools.filter(({ handler }) => closedBy(handler.operation, deps) === undefined)
    const project = inProject(deps.relational, request.project.projectId)
    const server = new Server({ name: 'svc', version: deps.version }, { capabilities: { tools: {}, prompts: {} } })
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: open.map(({ name, description, inputSchema, annotations }) => ({ name, description, inputSchema, annotations })),
    }))
    server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: given = {} } }) =>
      guarded(async () => {
        const tool = open.find(each => each.name === name)
        if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${name.slice(0, 100)}.`)
        return call(tool, given, request, deps)
      }),
    )
    server.setRequestHandler(ListPromptsRequestSchema, ({ params }) => guarded(() => listMcpPrompts(project, params?.cursor)))
    server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: given = {} } }) =>
      guarded(() => getMcpPrompt(project, name, given)),
    )
    const answers = await answersOf(server, messagesIn(request.body))
    if (defect !== undefined) throw defect.error
    if (answers.length === 0) return reply(202, undefined)
    return reply(200, (Array.isArray(request.body) ? answers : answers[0]) as unknown)
  })
}
