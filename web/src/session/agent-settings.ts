/** What the agent of the open session is set to, below what is being written: its mode and its model. */
import { modeChoices, modelChoices } from "../agent/choices";
import { OpenOptions } from "../agent/session-options";
import type {
  AgentCapabilities,
  AgentInfo,
  CliType,
  SessionId,
  SessionOptions,
  SlashCommand,
} from "../contract";
import { Picker } from "../dom/picker";
import { setMode, setModel } from "../server/api";
import type { OpenTalk, Scene } from "./talk-model";

export class AgentSettings {
  readonly mode = new Picker("Mode", (modeId) => this.adjust((id) => setMode(id, modeId)));
  readonly model = new Picker("Model", (modelId) => this.adjust((id) => setModel(id, modelId)));
  private readonly options: OpenOptions;
  private infos: AgentInfo[] = [];

  constructor(private readonly scene: Scene) {
    this.options = new OpenOptions(() => scene.changed());
  }

  /** The agents as they were found. */
  showAgents(agents: AgentInfo[]): void {
    this.infos = agents;
    this.scene.changed();
  }

  render({ session, status, isLive }: OpenTalk): void {
    const { sessionId, activity } = session;
    const sign = [isLive, status?.isAlive, activity, status?.modeId].join();
    if (isLive) this.options.follow(sessionId, sign);
    const { modes, currentModeId, models, currentModelId } = this.options.of(sessionId);
    this.mode.show(modeChoices(modes, status?.modeId ?? currentModeId), currentModeId);
    this.model.show(modelChoices(models, currentModelId), currentModelId);
    this.mode.disabled = !isLive;
    this.model.disabled = !isLive;
  }

  /** What an agent of this type can do; undefined while it is not known. */
  can(cliType: CliType): AgentCapabilities | undefined {
    return this.infos.find((info) => info.cliType === cliType)?.capabilities;
  }

  commands(sessionId: SessionId): Promise<SlashCommand[]> {
    return this.options.commands(sessionId);
  }

  /** Of a session that nothing was told of since the connection began, what its agent offers tells that it runs. */
  isAlive({ session, status }: OpenTalk): boolean {
    const { modes, commands } = this.options.of(session.sessionId);
    return status?.isAlive ?? modes.length + commands.length > 0;
  }

  private adjust(work: (sessionId: SessionId) => Promise<SessionOptions>): void {
    const { sessionId } = this.scene.open?.session ?? {};
    if (sessionId === undefined) return;
    void this.scene.attempt(work(sessionId).then((options) => this.options.take(sessionId, options)));
  }
}
