// Base class of text and chat prompts.
import type { BasePrompt } from '@svc/core'

export abstract class PromptClient {
  readonly name: string
  readonly version: number
  readonly config: unknown
  readonly labels: string[]
  readonly tags: string[]
  readonly commitMessage: string | null | undefined
  /** True if this is the application's fallback, which does not exist on the server. */
  readonly isFallback: boolean

  constructor(prompt: BasePrompt, isFallback: boolean) {
    this.name = prompt.name
    this.version = prompt.version
    this.config = prompt.config
    this.labels = prompt.labels
    this.tags = prompt.tags
    this.commitMessage = prompt.commitMessage
    this.isFallback = isFallback
  }

  /** Returns the prompt as JSON text. `JSON.stringify` of a prompt client encodes this text again, as a JSON string. */
  protected json(type: string, prompt: unknown): string {
    const { name, version, isFallback, tags, labels, config } = this
    return JSON.stringify({ name, prompt, version, isFallback, tags, labels, type, config })
  }
}
