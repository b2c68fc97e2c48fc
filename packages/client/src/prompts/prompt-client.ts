// What text and chat prompts have in common.
import type { BasePrompt } from '@svc/core'

export abstract class PromptClient {
  readonly name: string
  readonly version: number
  readonly config: unknown
  readonly labels: string[]
  readonly tags: string[]
  readonly commitMessage: string | null | undefined
  /** Whether it is the fallback of the application, which the server does not know. */
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

  /** JSON text of a prompt; an object of it would be another text once more. */
  protected json(type: string, prompt: unknown): string {
    const { name, version, isFallback, tags, labels, config } = this
    return JSON.stringify({ name, prompt, version, isFallback, tags, labels, type, config })
  }
}
