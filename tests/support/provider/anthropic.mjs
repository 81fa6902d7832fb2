// The Anthropic protocol: `POST /v1/messages`, `GET /v1/models`.

const ERROR_TYPES = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const event = (value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const delta = (index, value) => event({ type: 'content_block_delta', index, delta: value });
const block = (index, value) => event({ type: 'content_block_start', index, content_block: value });
const stop = (index) => event({ type: 'content_block_stop', index });
const textAt = (plan) => (plan.reasoning === undefined ? 0 : 1);
/** The tool that must be called, if one must: then what is said is said to it. */
const tool = (request) => (request.body?.tool_choice?.type === 'tool' ? request.body.tool_choice.name : undefined);
const opened = (request, index) =>
  block(index, tool(request) ? { type: 'tool_use', id: 'toolu_0', name: tool(request), input: {} } : { type: 'text', text: '' });

export const anthropic = {
  base: '/v1',
  allowHeaders: ['x-api-key', 'anthropic-version', 'anthropic-dangerous-direct-browser-access', 'content-type'],
  isChat: (path) => path === '/v1/messages',
  isModels: (path) => path === '/v1/models',
  key: (headers) => headers['x-api-key'],
  model: (request) => request.body?.model,
  user(request) {
    const content = request.body?.messages?.findLast((message) => message.role === 'user')?.content;
    return Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : content;
  },

  begin(request, plan, usage) {
    const message = {
      id: `msg_${request.number}`,
      type: 'message',
      role: 'assistant',
      model: request.body?.model,
      content: [],
      stop_reason: null,
      usage: {
        input_tokens: usage.prompt - (usage.cached ?? 0),
        ...(usage.cached !== undefined && { cache_read_input_tokens: usage.cached }),
        output_tokens: 1,
      },
    };
    const start = event({ type: 'message_start', message }) + event({ type: 'ping' });
    return textAt(plan) ? start : start + opened(request, 0);
  },
  reasoning: (request, pieces) => [
    block(0, { type: 'thinking', thinking: '', signature: '' }),
    ...pieces.map((piece) => delta(0, { type: 'thinking_delta', thinking: piece })),
    delta(0, { type: 'signature_delta', signature: 'c2lnbmF0dXJl' }),
    stop(0) + opened(request, 1),
  ],
  call: () => stop(0) + block(1, { type: 'tool_use', id: 'toolu_1', name: 'roll', input: {} }),
  text: (request, piece, plan) =>
    delta(textAt(plan), tool(request) ? { type: 'input_json_delta', partial_json: piece } : { type: 'text_delta', text: piece }),
  end(request, plan, usage) {
    const wire = [
      stop(textAt(plan)),
      event({
        type: 'message_delta',
        delta: { stop_reason: plan.finish ?? (tool(request) ? 'tool_use' : 'end_turn'), stop_sequence: null },
        usage: { output_tokens: usage.completion },
      }),
    ];
    if (!plan.noDone) wire.push(event({ type: 'message_stop' }));
    return wire;
  },
  errorAmid: (message) => event({ type: 'error', error: { type: 'overloaded_error', message } }),

  error: (status, message) => ({ type: 'error', error: { type: ERROR_TYPES[status] ?? 'api_error', message } }),
  wrongKey: { status: 401, message: 'invalid x-api-key' },
  /** What the real one says to a browser that does not own up to being one. */
  refusal(headers) {
    if (!headers.origin || headers['anthropic-dangerous-direct-browser-access'] === 'true') return undefined;
    return { status: 401, message: "CORS requests must set 'anthropic-dangerous-direct-browser-access' header" };
  },
  models: (names) => ({
    data: names.map((id) => ({ type: 'model', id, display_name: id })),
    has_more: false,
    first_id: names[0] ?? null,
    last_id: names.at(-1) ?? null,
  }),
};
