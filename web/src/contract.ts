// This file is generated from crates/contract by `cargo xtask codegen`. Do not edit it.

export type CallId = string;

export type CliType = string;

export type ClientMessageId = string;

export type Epoch = string;

export type EventId = string;

export type ItemId = string;

export type ModeId = string;

export type ModelId = string;

export type OptionId = string;

export type PermissionId = string;

export type ProjectId = string;

export type ProviderId = string;

export type RequestId = string;

export type SessionId = string;

export type TaskId = string;

export type TurnId = string;

export type Seq = number;

export type Text = string;

export type Timestamp = string;

export type ErrorCode = string;

export type ItemStatus = "create" | "update" | "complete" | "error";

export type MessageOrigin = "user" | "agent" | "system";

export type Truncation = { 
/**
 * Length of the whole.
 */
bytes: number, };

export type ToolArguments = Record<string, unknown>;

export type ToolKind = "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "other";

export type Location = { path: string, line?: number, };

export type DiffHunk = { oldStart: number, oldLines: number, newStart: number, newLines: number, lines: Array<string>, };

export type FileDiff = { path: string, hunks: Array<DiffHunk>, };

export type ToolCall = { toolName: string, toolArguments: ToolArguments, callId: CallId, 
/**
 * Absent while the tool runs.
 */
toolOutput?: Text, toolOutputIsError?: boolean, kind?: ToolKind, locations?: Array<Location>, diff?: Array<FileDiff>, };

export type UpsertBody = { "type": "message", content: Text, origin: MessageOrigin, } | { "type": "thinking", content: Text, providerId: ProviderId, } | { "type": "tool_call" } & ToolCall;

export type UpsertObject = { turnId: TurnId, sessionId: SessionId, itemId: ItemId, 
/**
 * When what caused this state reached us.
 */
sourceTimestamp: Timestamp, 
/**
 * When the provider or processor made this state.
 */
emittedAt: Timestamp, status: ItemStatus, errorCode?: ErrorCode, errorMessage?: string, 
/**
 * The seq of this change; present once journalled.
 */
seq?: Seq, 
/**
 * The seq of the item's creation: the sort key; present once journalled.
 */
position?: Seq, 
/**
 * When the item was created; present once journalled.
 */
startedAt?: Timestamp, 
/**
 * The item of the subagent whose work this is.
 */
parentItemId?: ItemId, truncated?: Truncation, } & ({ "type": "message", content: Text, origin: MessageOrigin, } | { "type": "thinking", content: Text, providerId: ProviderId, } | { "type": "tool_call" } & ToolCall);

export type TurnOrigin = "user" | "autonomous";

export type TurnStatus = "completed" | "cancelled";

export type Usage = { inputTokens: number, outputTokens: number, cacheReadInputTokens?: number, cacheCreationInputTokens?: number, costUsd?: number, contextTokens?: number, contextWindow?: number, };

export type TurnEventKind = { "type": "turn_started", modelId: ModelId, providerId: ProviderId, origin?: TurnOrigin, 
/**
 * The running turn that the agent folded this one into.
 */
joinedTurnId?: TurnId, } | { "type": "turn_complete", status: TurnStatus, usage?: Usage, } | { "type": "turn_error", errorCode: ErrorCode, errorMessage: string, 
/**
 * Which kind of failure a living agent reported: `rate_limit`, `overloaded`, …; or that it was none:
 * `ended_by_user`.
 */
errorClass?: string, };

export type TurnEvent = { turnId: TurnId, sessionId: SessionId, 
/**
 * Present once journalled.
 */
seq?: Seq, 
/**
 * When it was journalled.
 */
at?: Timestamp, } & ({ "type": "turn_started", modelId: ModelId, providerId: ProviderId, origin?: TurnOrigin, 
/**
 * The running turn that the agent folded this one into.
 */
joinedTurnId?: TurnId, } | { "type": "turn_complete", status: TurnStatus, usage?: Usage, } | { "type": "turn_error", errorCode: ErrorCode, errorMessage: string, 
/**
 * Which kind of failure a living agent reported: `rate_limit`, `overloaded`, …; or that it was none:
 * `ended_by_user`.
 */
errorClass?: string, });

export type PermissionOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

export type PermissionOption = { optionId: OptionId, name: string, kind: PermissionOptionKind, };

export type QuestionOption = { label: string, description?: string, };

export type Question = { question: string, header?: string, options: Array<QuestionOption>, multiSelect: boolean, };

export type PermissionOutcome = "selected" | "cancelled" | "withdrawn" | "turn_ended";

export type GivenAnswer = { 
/**
 * Arguments that were allowed instead of the proposed ones.
 */
updatedInput?: ToolArguments, 
/**
 * Per question, the labels chosen or the text typed.
 */
answers?: Record<string, string[]>, 
/**
 * What the agent was told with a refusal.
 */
feedback?: string, 
/**
 * `browser`, `command line`, `start token`, or `token` and its name.
 */
by?: string, };

export type PermissionRequest = { permissionId: PermissionId, sessionId: SessionId, turnId?: TurnId, itemId?: ItemId, callId?: CallId, title: string, toolName?: string, toolArguments?: ToolArguments, 
/**
 * What it would change, where the agent tells that beside the arguments.
 */
diff?: Array<FileDiff>, options: Array<PermissionOption>, 
/**
 * A plan to approve.
 */
plan?: string, 
/**
 * Questions to answer.
 */
questions?: Array<Question>, askedAt: Timestamp, resolvedAt?: Timestamp, outcome?: PermissionOutcome, 
/**
 * The option that was chosen.
 */
optionId?: OptionId, 
/**
 * Who answered, and what they said besides the option.
 */
answer?: GivenAnswer, };

export type PermissionAnswer = { optionId?: OptionId, 
/**
 * Arguments to run the tool with instead of the proposed ones. Agents that can only be told the option refuse this,
 * `answers` and `feedback`.
 */
updatedInput?: ToolArguments, 
/**
 * Per question, the labels chosen or the text typed.
 */
answers?: Record<string, string[]>, 
/**
 * Told to the agent with a refusal.
 */
feedback?: string, cancel?: boolean, };

export type Project = { id: ProjectId, 
/**
 * Absolute and canonical.
 */
path: string, 
/**
 * The last part of the path.
 */
name: string, addedAt: Timestamp, };

export type SessionState = "open" | "loading" | "dead";

export type Activity = "idle" | "running" | "permission" | "error";

export type SessionSource = "created" | "imported";

export type SessionListItem = { sessionId: SessionId, projectId: ProjectId, cliType: CliType, title: string, status: SessionState, activity: Activity, createdAt: Timestamp, lastActiveAt: Timestamp, archived: boolean, source: SessionSource, };

export type Delivery = "queue" | "steer" | "interrupt";

export type QueuedTurn = { turnId: TurnId, content: string, delivery: Delivery, queuedAt: Timestamp, 
/**
 * Waits until the user sends or resumes the queue.
 */
paused: boolean, };

export type BackgroundTask = { taskId: TaskId, kind: string, description: string, };

export type StandingPermission = { 
/**
 * The request that was answered so.
 */
permissionId: PermissionId, 
/**
 * What the request was about.
 */
title: string, toolName?: string, 
/**
 * The option that was chosen, in the agent's words: what it allows.
 */
name: string, since: Timestamp, };

export type Notice = { kind: string, text: string, };

export type SessionStatus = { sessionId: SessionId, cliType: CliType, isAlive: boolean, state: SessionState, activity: Activity, 
/**
 * When a message was last taken or a turn ended: it tells of turns that were over before anyone was told that they run.
 */
lastActiveAt: Timestamp, 
/**
 * The turn that runs.
 */
turnId?: TurnId, queued: Array<QueuedTurn>, backgroundTasks: Array<BackgroundTask>, 
/**
 * The permissions that wait; over HTTP only, sockets get them as messages of their own.
 */
permissions?: Array<PermissionRequest>, 
/**
 * What its agent was allowed for more than once. Ending the agent takes it back.
 */
allowed: Array<StandingPermission>, notice?: Notice, usage?: Usage, 
/**
 * The mode that its agent is in, while one runs and as far as it tells.
 */
modeId?: ModeId, };

export type SessionGlance = { sessionId: SessionId, 
/**
 * When the turn that runs began.
 */
turnStartedAt?: Timestamp, 
/**
 * The tool that runs and what it works on, on one line of at most 200 characters.
 */
tool?: string, 
/**
 * The last line that the agent wrote, or its end: at most 200 characters.
 */
line?: string, 
/**
 * When the agent was last heard.
 */
at: Timestamp, };

export type ModelInfo = { modelId: ModelId, name: string, description?: string, };

export type ModeInfo = { modeId: ModeId, name: string, description?: string, 
/**
 * The agent does everything in it without asking, by what it says of it.
 */
neverAsks: boolean, };

export type SlashCommand = { name: string, description: string, argumentHint?: string, };

export type AgentCapabilities = { 
/**
 * Takes messages at all; `external` sessions are fed by envelopes instead.
 */
send: boolean, 
/**
 * Can fold a message into the turn that runs.
 */
steer: boolean, images: boolean, 
/**
 * Can continue an earlier session.
 */
resume: boolean, };

export type AgentConnection = "starting" | "connected" | "disconnected" | "reconnecting";

export type AgentInfo = { cliType: CliType, name: string, available: boolean, version?: string, 
/**
 * The file that is run, behind links and launchers.
 */
program?: string, 
/**
 * Of that file, in hexadecimal digits.
 */
sha256?: string, 
/**
 * Why it is not available.
 */
problem?: string, installHint?: string, models: Array<ModelInfo>, modes: Array<ModeInfo>, capabilities: AgentCapabilities, };

export type EventError = { code: ErrorCode, message: string, };

export type ItemStart = { "itemType": "message", initialContent?: string, } | { "itemType": "reasoning", initialContent?: string, } | { "itemType": "function_call", name: string, callId: CallId, } | { "itemType": "function_call_output", callId?: CallId, };

export type FinalItem = { "type": "message", content: string, origin: MessageOrigin, } | { "type": "reasoning", content: string, providerId: ProviderId, } | { "type": "function_call", name: string, callId: CallId, arguments: ToolArguments, } | { "type": "function_call_output", callId: CallId, output: string, isError: boolean, };

export type ResponseStatus = "completed" | "cancelled" | "error";

export type ResponseDone = { status: ResponseStatus, finishReason?: string, error?: EventError, usage?: Usage, };

export type EventPayload = { "type": "response_start", modelId: ModelId, providerId: ProviderId, } | { "type": "item_start", itemId: ItemId, } & ({ "itemType": "message", initialContent?: string, } | { "itemType": "reasoning", initialContent?: string, } | { "itemType": "function_call", name: string, callId: CallId, } | { "itemType": "function_call_output", callId?: CallId, }) | { "type": "item_delta", itemId: ItemId, deltaContent: string, } | { "type": "item_done", itemId: ItemId, finalItem: FinalItem, } | { "type": "item_error", itemId: ItemId, error: EventError, } | { "type": "item_cancelled", itemId: ItemId, reason?: string, } | { "type": "response_done" } & ResponseDone | { "type": "response_error", error: EventError, };

export type ErrorBody = { code: ErrorCode, message: string, 
/**
 * The project that is there already (`DUPLICATE_PROJECT`).
 */
projectId?: ProjectId, };

export type ProviderOptions = { 
/**
 * A fixed budget for thinking; absent means none.
 */
maxThinkingTokens?: number, };

export type CreateSessionRequest = { cliType: CliType, projectDir: string, title?: string, modelId?: ModelId, modeId?: ModeId, providerOptions?: ProviderOptions, };

export type Attachment = { name: string, mimeType: string, 
/**
 * Base64.
 */
data: string, };

export type SendRequest = { content: string, clientMessageId?: ClientMessageId, delivery?: Delivery, attachments?: Array<Attachment>, };

export type CancelRequest = { 
/**
 * Absent: whatever runs.
 */
turnId?: TurnId, };

export type ModeRequest = { modeId: ModeId, };

export type ModelRequest = { modelId: ModelId, };

export type TitleRequest = { title: string, };

export type QueuePatch = { content?: string, before?: TurnId, sendNow?: boolean, };

export type AddProjectRequest = { path: string, };

export type ImportSessionRequest = { cliType: CliType, providerSessionId: string, projectId: ProjectId, };

export type LoginRequest = { code: string, };

export type SessionCreated = { sessionId: SessionId, cliType: CliType, projectId: ProjectId, };

export type SessionLoaded = { sessionId: SessionId, cliType: CliType, };

export type Sessions = { sessions: Array<SessionListItem>, };

export type SendState = "started" | "queued";

export type SessionSent = { turnId: TurnId, state: SendState, };

export type Cancelled = { 
/**
 * False when nothing was running.
 */
cancelled: boolean, };

export type Killed = { killed: boolean, };

export type WaitResult = { activity: Activity, timedOut: boolean, };

export type PermissionAnswered = { answered: boolean, };

export type QueueRemoved = { removed: boolean, };

export type ProjectRemoved = { removed: boolean, };

export type TaskStopped = { stopped: boolean, };

export type SessionOptions = { models: Array<ModelInfo>, currentModelId?: ModelId, modes: Array<ModeInfo>, currentModeId?: ModeId, commands: Array<SlashCommand>, };

export type EventsAccepted = { accepted: number, 
/**
 * How many of these had no effect: of unknown items, repeated, or after the end of their turn.
 */
ignored?: number, };

export type EventsRejected = { code: ErrorCode, message: string, 
/**
 * Counted from 1, blank lines included.
 */
line: number, 
/**
 * Where in the envelope; empty for the whole line.
 */
path: string, accepted: number, };

export type ImportableSession = { cliType: CliType, providerSessionId: string, 
/**
 * The beginning of its first prompt.
 */
title: string, createdAt?: Timestamp, lastActiveAt: Timestamp, 
/**
 * How many prompts it holds; of a very long one those in its first part.
 */
prompts: number, };

export type ImportableSessions = { sessions: Array<ImportableSession>, };

export type DirectoryCompletions = { dirs: Array<string>, };

export type FileCompletions = { files: Array<string>, };

export type SearchHit = { sessionId: SessionId, itemId: ItemId, snippet: string, };

export type SearchResults = { hits: Array<SearchHit>, };

export type LoggedIn = { 
/**
 * For the page alone: cookies are sent to every port of a host, this is not.
 */
pageKey: string, };

export type HistoryPage = { epoch: Epoch, 
/**
 * The state is that after this change.
 */
seq: Seq, 
/**
 * Ordered by `position`.
 */
entries: Array<UpsertObject>, turns: Array<TurnEvent>, 
/**
 * Whether there is more in the direction that was asked for.
 */
more: boolean, };

export type StreamProtocol = "upsert-v1" | "upsert-v2" | string;

export type ClientMessage = { "type": "session:hello", streamProtocol?: StreamProtocol, capabilities?: unknown, } | { "type": "project:add", path: string, } | { "type": "project:remove", projectId: ProjectId, } | { "type": "project:list", } | { "type": "session:create", projectId: ProjectId, cliType: CliType, } | { "type": "session:open", sessionId: SessionId, after?: Seq, epoch?: Epoch, } | { "type": "session:close", sessionId: SessionId, } | { "type": "session:send", sessionId: SessionId, content: string, clientMessageId?: ClientMessageId, delivery?: Delivery, } | { "type": "session:cancel", sessionId: SessionId, } | { "type": "session:archive", sessionId: SessionId, } | { "type": "session:list", projectId: ProjectId, } | { "type": "session:reconnect", cliType: CliType, } | { "type": "permission:answer", sessionId: SessionId, permissionId: PermissionId, optionId?: OptionId, 
/**
 * Arguments to run the tool with instead of the proposed ones. Agents that can only be told the option refuse this,
 * `answers` and `feedback`.
 */
updatedInput?: ToolArguments, 
/**
 * Per question, the labels chosen or the text typed.
 */
answers?: Record<string, string[]>, 
/**
 * Told to the agent with a refusal.
 */
feedback?: string, cancel?: boolean, } | { "type": "ping", };

export type ClientFrame = { requestId?: RequestId, } & ({ "type": "session:hello", streamProtocol?: StreamProtocol, capabilities?: unknown, } | { "type": "project:add", path: string, } | { "type": "project:remove", projectId: ProjectId, } | { "type": "project:list", } | { "type": "session:create", projectId: ProjectId, cliType: CliType, } | { "type": "session:open", sessionId: SessionId, after?: Seq, epoch?: Epoch, } | { "type": "session:close", sessionId: SessionId, } | { "type": "session:send", sessionId: SessionId, content: string, clientMessageId?: ClientMessageId, delivery?: Delivery, } | { "type": "session:cancel", sessionId: SessionId, } | { "type": "session:archive", sessionId: SessionId, } | { "type": "session:list", projectId: ProjectId, } | { "type": "session:reconnect", cliType: CliType, } | { "type": "permission:answer", sessionId: SessionId, permissionId: PermissionId, optionId?: OptionId, 
/**
 * Arguments to run the tool with instead of the proposed ones. Agents that can only be told the option refuse this,
 * `answers` and `feedback`.
 */
updatedInput?: ToolArguments, 
/**
 * Per question, the labels chosen or the text typed.
 */
answers?: Record<string, string[]>, 
/**
 * Told to the agent with a refusal.
 */
feedback?: string, cancel?: boolean, } | { "type": "ping", });

export type Family = "legacy" | "upsert-v1" | "upsert-v2";

export type HistoryMode = "full" | "since" | "reset";

export type PlanEntry = { content: string, status: string, priority?: string, };

export type TextDelta = { sessionId: SessionId, seq: Seq, itemId: ItemId, status: ItemStatus, 
/**
 * Length of the text so far in UTF-16 units. A mismatch means: fetch the item.
 */
offset: number, append: string, 
/**
 * Only with `complete`.
 */
emittedAt?: Timestamp, };

export type LegacyToolStatus = "running" | "complete" | "error";

export type ChatEntry = { "type": "user", entryId: ItemId, content: Text, timestamp: Timestamp, } | { "type": "assistant", entryId: ItemId, content: Text, timestamp: Timestamp, } | { "type": "thinking", entryId: ItemId, content: Text, } | { "type": "tool-call", entryId: ItemId, toolCallId: CallId, name: string, status: LegacyToolStatus, result?: Text, error?: string, };

export type ServerMessage = { "type": "session:hello:ack", selectedFamily: Family, } | { "type": "session:upsert", sessionId: SessionId, seq: Seq, payload: UpsertObject, } | { "type": "session:delta" } & TextDelta | { "type": "session:turn", sessionId: SessionId, seq: Seq, payload: TurnEvent, } | { "type": "session:history", sessionId: SessionId, mode: HistoryMode, 
/**
 * Set when the server had to drop what this connection had not read yet.
 */
resync?: boolean, epoch: Epoch, 
/**
 * The state is that after this change.
 */
seq: Seq, 
/**
 * Ordered by `position`.
 */
entries: Array<UpsertObject>, turns: Array<TurnEvent>, 
/**
 * Whether there is more in the direction that was asked for.
 */
more: boolean, } | { "type": "session:status" } & SessionStatus | { "type": "session:glance" } & SessionGlance | { "type": "server:draining", deadlineMs: number, } | { "type": "pong", } | { "type": "ok", } | { "type": "permission:requested" } & PermissionRequest | { "type": "permission:resolved" } & PermissionRequest | { "type": "session:plan", sessionId: SessionId, entries: Array<PlanEntry>, } | { "type": "session:sent", sessionId: SessionId, turnId: TurnId, clientMessageId?: ClientMessageId, state: SendState, } | { "type": "session:update", sessionId: SessionId, entry: ChatEntry, } | { "type": "session:chunk", sessionId: SessionId, entryId: ItemId, content: string, } | { "type": "session:complete", sessionId: SessionId, entryId: ItemId, } | { "type": "session:cancelled", sessionId: SessionId, entryId: ItemId, } | { "type": "session:created", session: SessionListItem, } | { "type": "session:archived", sessionId: SessionId, } | { "type": "session:title-updated", sessionId: SessionId, title: string, } | { "type": "session:list", projectId: ProjectId, sessions: Array<SessionListItem>, } | { "type": "session:error", sessionId: SessionId, message: string, } | { "type": "project:added", project: Project, } | { "type": "project:removed", projectId: ProjectId, } | { "type": "project:list", projects: Array<Project>, } | { "type": "agent:status", cliType: CliType, status: AgentConnection, } | { "type": "error", code?: ErrorCode, message: string, 
/**
 * What is wrong with a message that is not understood, for whoever writes a client.
 */
detail?: string, 
/**
 * The project that is there already.
 */
projectId?: ProjectId, };

export type ServerFrame = { requestId?: RequestId, } & ({ "type": "session:hello:ack", selectedFamily: Family, } | { "type": "session:upsert", sessionId: SessionId, seq: Seq, payload: UpsertObject, } | { "type": "session:delta" } & TextDelta | { "type": "session:turn", sessionId: SessionId, seq: Seq, payload: TurnEvent, } | { "type": "session:history", sessionId: SessionId, mode: HistoryMode, 
/**
 * Set when the server had to drop what this connection had not read yet.
 */
resync?: boolean, epoch: Epoch, 
/**
 * The state is that after this change.
 */
seq: Seq, 
/**
 * Ordered by `position`.
 */
entries: Array<UpsertObject>, turns: Array<TurnEvent>, 
/**
 * Whether there is more in the direction that was asked for.
 */
more: boolean, } | { "type": "session:status" } & SessionStatus | { "type": "session:glance" } & SessionGlance | { "type": "server:draining", deadlineMs: number, } | { "type": "pong", } | { "type": "ok", } | { "type": "permission:requested" } & PermissionRequest | { "type": "permission:resolved" } & PermissionRequest | { "type": "session:plan", sessionId: SessionId, entries: Array<PlanEntry>, } | { "type": "session:sent", sessionId: SessionId, turnId: TurnId, clientMessageId?: ClientMessageId, state: SendState, } | { "type": "session:update", sessionId: SessionId, entry: ChatEntry, } | { "type": "session:chunk", sessionId: SessionId, entryId: ItemId, content: string, } | { "type": "session:complete", sessionId: SessionId, entryId: ItemId, } | { "type": "session:cancelled", sessionId: SessionId, entryId: ItemId, } | { "type": "session:created", session: SessionListItem, } | { "type": "session:archived", sessionId: SessionId, } | { "type": "session:title-updated", sessionId: SessionId, title: string, } | { "type": "session:list", projectId: ProjectId, sessions: Array<SessionListItem>, } | { "type": "session:error", sessionId: SessionId, message: string, } | { "type": "project:added", project: Project, } | { "type": "project:removed", projectId: ProjectId, } | { "type": "project:list", projects: Array<Project>, } | { "type": "agent:status", cliType: CliType, status: AgentConnection, } | { "type": "error", code?: ErrorCode, message: string, 
/**
 * What is wrong with a message that is not understood, for whoever writes a client.
 */
detail?: string, 
/**
 * The project that is there already.
 */
projectId?: ProjectId, });

export type StreamEventEnvelope = { eventId: EventId, timestamp: Timestamp, turnId: TurnId, sessionId: SessionId, type: EventPayload["type"], payload: EventPayload, };

export type LegacyHistory = { type: "session:history", sessionId: SessionId, entries: Array<ChatEntry>, };
