// Records OpenAI client calls as observations.
export type { SvcConfig } from './config.ts'
export { observeOpenAI } from './observe-openai.ts'
