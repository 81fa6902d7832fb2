// The OpenAI-compatible protocol: `POST …/chat/completions`, `GET …/models`.

const ERROR_TYPES = { 401: 'invalid_api_key', 404: 'model_not_found', 429: 'rate_limit_exceeded' };

const data = (value) => `data: ${JSON.stringify(value)}\n\n`;

const chunk = (request, delta, finish = null) =>
  data({
    id: `chatcmpl-${request.number}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: request.body?.model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

/** Of the prompt, what the cache gave: `usage.cached`. */
const cached = (usage) => (usage.cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: usage.cached } });

export const openai = {
  base: '/v1',
  allowHeaders: ['authorization', 'content-type'],
  isChat: (path) => path === '/v1/chat/completions',
  isEmbeddings: (path) => path === '/v1/embeddings',
  isModels: (path) => path === '/v1/models',
  key: (headers) => headers.authorization?.replace(/^Bearer /, ''),
  model: (request) => request.body?.model,
  user: (request) => request.body?.messages?.findLast((message) => message.role === 'user')?.content,

  begin: (request) => chunk(request, { role: 'assistant', content: '' }),
  text: (request, piece) => chunk(request, { content: piece }),
  call: (request) => chunk(request, { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'roll', arguments: '{}' } }] }),
  /** Styles: `reasoning_content` (DeepSeek), `reasoning` (OpenRouter), `think` (tags in the text). */
  reasoning(request, pieces, style = 'reasoning_content') {
    if (style !== 'think') return pieces.map((piece) => chunk(request, { [style]: piece }));
    return ['<think>', ...pieces, '</think>\n\n'].map((piece) => chunk(request, { content: piece }));
  },
  end(request, plan, usage) {
    const wire = [chunk(request, {}, plan.finish ?? 'stop')];
    if (request.body?.stream_options?.include_usage) {
      const total = usage.prompt + usage.completion;
      wire.push(
        data({ choices: [], usage: { prompt_tokens: usage.prompt, completion_tokens: usage.completion, total_tokens: total, ...cached(usage) } }),
      );
    }
    if (!plan.noDone) wire.push('data: [DONE]\n\n');
    return wire;
  },
  errorAmid: (message) => data({ error: { message, type: 'server_error', code: 'server_error' } }),

  error: (status, message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: ERROR_TYPES[status] ?? null },
  }),
  wrongKey: { status: 401, message: 'Incorrect API key provided. You can find your API key at the account page.' },
  embeddings: (vectors) => ({ object: 'list', data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })) }),
  /** With prices by name, as OpenRouter tells them. */
  models: (names, prices = {}) => ({
    object: 'list',
    data: names.map((id) => ({ id, object: 'model', owned_by: 'script', ...(prices[id] && { pricing: prices[id] }) })),
  }),
};
