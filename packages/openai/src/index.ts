// Records the calls of the OpenAI client as observations.
export type { SvcConfig } from './config.ts'
export { observeOpenAI } from './observe-openai.ts'
