// Records runs of LangChain and LangGraph as observations.
export { CallbackHandler, type CallbackHandlerParams } from './callback-handler.ts'
export type { AnonymousLlmMessage, LlmMessage } from './messages.ts'
